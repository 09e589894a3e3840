-- Create "tasks" table
CREATE TABLE `tasks` (`home` blob NOT NULL, `id` blob NOT NULL, `kind` text NOT NULL, `target` blob NOT NULL, `payload` blob NOT NULL, `due_at` integer NOT NULL, `attempts` integer NOT NULL DEFAULT (0), PRIMARY KEY (`home`, `id`));
-- Create index "task_due_at" to table: "tasks"
CREATE INDEX `task_due_at` ON `tasks` (`due_at`);
-- Create index "task_id" to table: "tasks"
CREATE INDEX `task_id` ON `tasks` (`id`);
-- Create "task_receipts" table
CREATE TABLE `task_receipts` (`home` blob NOT NULL, `id` blob NOT NULL, PRIMARY KEY (`home`, `id`));
-- Create index "taskreceipt_id" to table: "task_receipts"
CREATE INDEX `taskreceipt_id` ON `task_receipts` (`id`);
