-- Create index "audit_store_id_resource_id_id" to table: "audit_log"
CREATE INDEX `audit_store_id_resource_id_id` ON `audit_log` (`store_id`, `resource_id`, `id`);
