-- Add column "unlimited_refunds" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `unlimited_refunds` bool NOT NULL DEFAULT false;
