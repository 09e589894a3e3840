-- Add column "exchange_id" to table: "order_returns"
ALTER TABLE `order_returns` ADD COLUMN `exchange_id` blob NULL;
-- Add column "exchange_of" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `exchange_of` blob NULL;
