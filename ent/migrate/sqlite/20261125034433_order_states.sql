-- Drop index "order_store_id_status_id" from table: "orders"
DROP INDEX `order_store_id_status_id`;
-- Drop index "order_store_id_financial_status_id" from table: "orders"
DROP INDEX `order_store_id_financial_status_id`;
-- Drop index "order_store_id_fulfillment_status_id" from table: "orders"
DROP INDEX `order_store_id_fulfillment_status_id`;
-- Create index "order_states_id" to table: "orders"
CREATE INDEX `order_states_id` ON `orders` (`store_id`, `status`, `financial_status`, `fulfillment_status`, `id`);
-- Create index "order_states_updated_at_id" to table: "orders"
CREATE INDEX `order_states_updated_at_id` ON `orders` (`store_id`, `status`, `financial_status`, `fulfillment_status`, `updated_at`, `id`);
