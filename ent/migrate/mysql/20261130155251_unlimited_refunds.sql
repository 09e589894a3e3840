-- Modify "api_keys" table
ALTER TABLE `api_keys` ADD COLUMN `unlimited_refunds` bool NOT NULL DEFAULT 0;
