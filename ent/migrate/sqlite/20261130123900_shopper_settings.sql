-- Add column "views" to table: "staff"
ALTER TABLE `staff` ADD COLUMN `views` blob NULL;
-- Add column "email" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `email` text NULL;
-- Create index "mail_store_id_order_id_id" to table: "mails"
CREATE INDEX `mail_store_id_order_id_id` ON `mails` (`store_id`, `order_id`, `id`);
-- Add column "remind" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `remind` bool NOT NULL DEFAULT false;
-- Add column "due_at" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `due_at` integer NULL;
-- Add column "tries" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `tries` integer NOT NULL DEFAULT 0;
-- Add column "reminded_at" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `reminded_at` integer NULL;
-- Create index "cart_bucket_due_at" to table: "carts"
CREATE INDEX `cart_bucket_due_at` ON `carts` (`bucket`, `due_at`);
-- Create index "cart_store_id_reminded_at" to table: "carts"
CREATE INDEX `cart_store_id_reminded_at` ON `carts` (`store_id`, `reminded_at`);
-- Add column "size_chart_id" to table: "collections"
ALTER TABLE `collections` ADD COLUMN `size_chart_id` blob NULL;
-- Add column "shopper_cancels" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `shopper_cancels` bool NOT NULL DEFAULT true;
-- Add column "remind_hours" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `remind_hours` integer NULL;
