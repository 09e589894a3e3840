-- unused since 32345b79 (20261125045616): an index of all three states serves each of them
ALTER TABLE `orders` DROP INDEX `order_store_id_financial_status_id`, DROP INDEX `order_store_id_fulfillment_status_id`, DROP INDEX `order_store_id_status_id`;
