-- Add column "location_id" to table: "fulfillments"
ALTER TABLE `fulfillments` ADD COLUMN `location_id` blob NULL;
-- Add column "location_id" to table: "inventory_changes"
ALTER TABLE `inventory_changes` ADD COLUMN `location_id` blob NULL;
-- Add column "allocations" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `allocations` blob NULL;
-- Add column "located" to table: "products"
ALTER TABLE `products` ADD COLUMN `located` bool NOT NULL DEFAULT false;
-- Add column "located" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `located` bool NOT NULL DEFAULT false;
-- Create "locations" table
CREATE TABLE `locations` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `name` text NOT NULL, `address` blob NULL, `position` integer NOT NULL, `sells_online` bool NOT NULL, `picks_up` bool NOT NULL DEFAULT (false), `closed_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "stock_levels" table
CREATE TABLE `stock_levels` (`store_id` blob NOT NULL, `product_id` blob NOT NULL, `variant_id` blob NOT NULL, `id` blob NOT NULL, `quantity` integer NOT NULL, `sells_online` bool NOT NULL, PRIMARY KEY (`store_id`, `product_id`, `variant_id`, `id`));
-- Create index "stocklevel_store_id_id_quantity" to table: "stock_levels"
CREATE INDEX `stocklevel_store_id_id_quantity` ON `stock_levels` (`store_id`, `id`, `quantity`);
