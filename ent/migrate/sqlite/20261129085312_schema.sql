-- Add column "answer" to table: "grants"
ALTER TABLE `grants` ADD COLUMN `answer` blob NULL;
-- Add column "answer_token" to table: "grants"
ALTER TABLE `grants` ADD COLUMN `answer_token` blob NULL;
