-- Modify "webhook_endpoints" table
ALTER TABLE `webhook_endpoints` ADD COLUMN `payload` varbinary(8) NOT NULL DEFAULT 'full';
