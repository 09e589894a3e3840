-- Create index "order_states_id" to table: "orders"
CREATE INDEX `order_states_id` ON `orders` (`store_id`, `status`, `financial_status`, `fulfillment_status`, `id`);
-- Create index "order_states_updated_at_id" to table: "orders"
CREATE INDEX `order_states_updated_at_id` ON `orders` (`store_id`, `status`, `financial_status`, `fulfillment_status`, `updated_at`, `id`);
