-- Modify "payment_accounts" table
ALTER TABLE `payment_accounts` ADD COLUMN `retired_at` bigint NOT NULL DEFAULT 0, ADD COLUMN `bucket` tinyint NOT NULL DEFAULT 0, DROP INDEX `paymentaccount_store_id_provider`, ADD INDEX `paymentaccount_bucket_retired_at` (`bucket`, `retired_at`), ADD UNIQUE INDEX `paymentaccount_store_id_provider_retired_at` (`store_id`, `provider`, `retired_at`);
-- Modify "payment_refunds" table
ALTER TABLE `payment_refunds` ADD COLUMN `account_id` binary(16) NULL, ADD COLUMN `reference` varbinary(255) NULL;
-- Modify "payment_sessions" table
ALTER TABLE `payment_sessions` ADD COLUMN `account_id` binary(16) NULL;
