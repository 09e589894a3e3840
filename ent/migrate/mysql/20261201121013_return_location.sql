-- Modify "order_returns" table
ALTER TABLE `order_returns` ADD COLUMN `location_id` binary(16) NULL;
