-- Create index "order_store_id_external_number_id" to table: "orders"
CREATE INDEX `order_store_id_external_number_id` ON `orders` (`store_id`, `external_number`, `id`);
