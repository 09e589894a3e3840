-- Add column "retires_at" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `retires_at` integer NULL;
-- Add column "networks" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `networks` text NULL;
-- Add column "language" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `language` text NULL;
-- Add column "timezone" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `timezone` text NULL;
-- Add column "filter_financial_status" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `filter_financial_status` text NULL;
-- Add column "filter_fulfillment_status" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `filter_fulfillment_status` text NULL;
-- Add column "filter_customer_id" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `filter_customer_id` blob NULL;
