-- Add column "withdrawal" to table: "order_returns"
ALTER TABLE `order_returns` ADD COLUMN `withdrawal` bool NOT NULL DEFAULT (false);
-- Add column "name" to table: "order_returns"
ALTER TABLE `order_returns` ADD COLUMN `name` text NULL;
-- Add column "email" to table: "order_returns"
ALTER TABLE `order_returns` ADD COLUMN `email` text NULL;
