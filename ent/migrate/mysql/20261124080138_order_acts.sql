-- Modify "audit_log" table
ALTER TABLE `audit_log` ADD INDEX `audit_store_id_resource_id_id` (`store_id`, `resource_id`, `id`);
