-- Add column "request" to table: "attempts"
ALTER TABLE `attempts` ADD COLUMN `request` blob NULL;
-- Add column "request" to table: "delivery_logs"
ALTER TABLE `delivery_logs` ADD COLUMN `request` blob NULL;
