-- Modify "customers" table
ALTER TABLE `customers` ADD COLUMN `email_marketing_at` bigint NULL, ADD COLUMN `email_marketing_source` varbinary(16) NULL;
-- Modify "orders" table
ALTER TABLE `orders` ADD INDEX `order_store_id_email_id` (`store_id`, `email`, `id`);
-- Create "shopper_challenges" table
CREATE TABLE `shopper_challenges` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `token` binary(32) NOT NULL, `bucket` tinyint NOT NULL, `purpose` varbinary(16) NOT NULL, `email` varbinary(1020) NOT NULL, `code` binary(32) NOT NULL, `tries` bigint NOT NULL DEFAULT 0, `expires_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `shopperchallenge_bucket_expires_at` (`bucket`, `expires_at`), UNIQUE INDEX `shopperchallenge_store_id_token` (`store_id`, `token`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "shopper_sessions" table
CREATE TABLE `shopper_sessions` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `token` binary(32) NOT NULL, `bucket` tinyint NOT NULL, `customer_id` binary(16) NOT NULL, `email` varbinary(1020) NOT NULL, `agent` varchar(255) NOT NULL, `address` varbinary(45) NULL, `seen_at` bigint NOT NULL, `expires_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `id`), INDEX `shoppersession_bucket_expires_at` (`bucket`, `expires_at`), INDEX `shoppersession_store_id_customer_id` (`store_id`, `customer_id`), UNIQUE INDEX `shoppersession_store_id_token` (`store_id`, `token`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
