-- unused since 32345b79 (20261125045607): an index of all three states serves each of them
DROP INDEX `order_store_id_status_id`;
-- unused since 32345b79 (20261125045607): an index of all three states serves each of them
DROP INDEX `order_store_id_financial_status_id`;
-- unused since 32345b79 (20261125045607): an index of all three states serves each of them
DROP INDEX `order_store_id_fulfillment_status_id`;
