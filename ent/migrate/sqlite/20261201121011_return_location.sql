-- Add column "location_id" to table: "order_returns"
ALTER TABLE `order_returns` ADD COLUMN `location_id` blob NULL;
