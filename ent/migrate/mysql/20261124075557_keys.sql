-- Modify "api_keys" table
ALTER TABLE `api_keys` ADD COLUMN `retires_at` bigint NULL, ADD COLUMN `networks` varbinary(1024) NULL;
-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `language` varbinary(16) NULL, ADD COLUMN `timezone` varbinary(64) NULL, ADD COLUMN `filter_financial_status` varbinary(32) NULL, ADD COLUMN `filter_fulfillment_status` varbinary(32) NULL, ADD COLUMN `filter_customer_id` binary(16) NULL;
