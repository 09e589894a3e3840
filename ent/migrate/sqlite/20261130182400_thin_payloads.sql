-- Add column "payload" to table: "webhook_endpoints"
ALTER TABLE `webhook_endpoints` ADD COLUMN `payload` text NOT NULL DEFAULT 'full';
