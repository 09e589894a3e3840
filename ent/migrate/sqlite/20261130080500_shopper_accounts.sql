-- Add column "email_marketing_at" to table: "customers"
ALTER TABLE `customers` ADD COLUMN `email_marketing_at` integer NULL;
-- Add column "email_marketing_source" to table: "customers"
ALTER TABLE `customers` ADD COLUMN `email_marketing_source` text NULL;
-- Create index "order_store_id_email_id" to table: "orders"
CREATE INDEX `order_store_id_email_id` ON `orders` (`store_id`, `email`, `id`);
-- Create "shopper_challenges" table
CREATE TABLE `shopper_challenges` (`store_id` blob NOT NULL, `id` blob NOT NULL, `token` blob NOT NULL, `bucket` integer NOT NULL, `purpose` text NOT NULL, `email` text NOT NULL, `code` blob NOT NULL, `tries` integer NOT NULL DEFAULT (0), `expires_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "shopperchallenge_store_id_token" to table: "shopper_challenges"
CREATE UNIQUE INDEX `shopperchallenge_store_id_token` ON `shopper_challenges` (`store_id`, `token`);
-- Create index "shopperchallenge_bucket_expires_at" to table: "shopper_challenges"
CREATE INDEX `shopperchallenge_bucket_expires_at` ON `shopper_challenges` (`bucket`, `expires_at`);
-- Create "shopper_sessions" table
CREATE TABLE `shopper_sessions` (`store_id` blob NOT NULL, `id` blob NOT NULL, `token` blob NOT NULL, `bucket` integer NOT NULL, `customer_id` blob NOT NULL, `email` text NOT NULL, `agent` text NOT NULL, `address` text NULL, `seen_at` integer NOT NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "shoppersession_store_id_token" to table: "shopper_sessions"
CREATE UNIQUE INDEX `shoppersession_store_id_token` ON `shopper_sessions` (`store_id`, `token`);
-- Create index "shoppersession_store_id_customer_id" to table: "shopper_sessions"
CREATE INDEX `shoppersession_store_id_customer_id` ON `shopper_sessions` (`store_id`, `customer_id`);
-- Create index "shoppersession_bucket_expires_at" to table: "shopper_sessions"
CREATE INDEX `shoppersession_bucket_expires_at` ON `shopper_sessions` (`bucket`, `expires_at`);
