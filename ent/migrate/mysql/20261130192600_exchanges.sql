-- Modify "order_returns" table
ALTER TABLE `order_returns` ADD COLUMN `exchange_id` binary(16) NULL;
-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `exchange_of` binary(16) NULL;
