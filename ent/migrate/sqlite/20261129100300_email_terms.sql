-- Add column "orders_muted_at" to table: "staff"
ALTER TABLE `staff` ADD COLUMN `orders_muted_at` integer NULL;
-- Add column "reply_to" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `reply_to` text NULL;
-- Add column "order_id" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `order_id` blob NULL;
-- Add column "network" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `network` text NULL;
-- Add column "stop_url" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `stop_url` text NULL;
-- Add column "contact_email" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `contact_email` text NULL;
-- Create "mail_stops" table
CREATE TABLE `mail_stops` (`store_id` blob NOT NULL, `address` blob NOT NULL, `id` blob NOT NULL, PRIMARY KEY (`store_id`, `address`));
