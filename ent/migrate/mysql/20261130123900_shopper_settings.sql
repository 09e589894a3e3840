-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `remind` bool NOT NULL DEFAULT 0, ADD COLUMN `due_at` bigint NULL, ADD COLUMN `tries` bigint NOT NULL DEFAULT 0, ADD COLUMN `reminded_at` bigint NULL, ADD INDEX `cart_bucket_due_at` (`bucket`, `due_at`), ADD INDEX `cart_store_id_reminded_at` (`store_id`, `reminded_at`);
-- Modify "collections" table
ALTER TABLE `collections` ADD COLUMN `size_chart_id` binary(16) NULL;
-- Modify "mails" table
ALTER TABLE `mails` ADD COLUMN `email` varbinary(16) NULL, ADD INDEX `mail_store_id_order_id_id` (`store_id`, `order_id`, `id`);
-- Modify "staff" table
ALTER TABLE `staff` ADD COLUMN `views` mediumblob NULL;
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `shopper_cancels` bool NOT NULL DEFAULT 1, ADD COLUMN `remind_hours` bigint NULL;
