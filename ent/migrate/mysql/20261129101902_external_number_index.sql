-- Modify "orders" table
ALTER TABLE `orders` ADD INDEX `order_store_id_external_number_id` (`store_id`, `external_number`, `id`);
