-- Modify "mails" table
ALTER TABLE `mails` ADD COLUMN `reply_to` varbinary(1020) NULL, ADD COLUMN `order_id` binary(16) NULL, ADD COLUMN `network` varbinary(64) NULL, ADD COLUMN `stop_url` varchar(255) NULL;
-- Modify "staff" table
ALTER TABLE `staff` ADD COLUMN `orders_muted_at` bigint NULL;
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `contact_email` varbinary(1020) NULL;
-- Create "mail_stops" table
CREATE TABLE `mail_stops` (`store_id` binary(16) NOT NULL, `address` binary(32) NOT NULL, `id` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `address`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
