-- Modify "orders" table
ALTER TABLE `orders` ADD INDEX `order_states_id` (`store_id`, `status`, `financial_status`, `fulfillment_status`, `id`), ADD INDEX `order_states_updated_at_id` (`store_id`, `status`, `financial_status`, `fulfillment_status`, `updated_at`, `id`);
