/**
 * Every row that holds a public call against a loop written for its strategy.
 */
import { averagesRow } from "./averagesRow.ts"
import { codeRows } from "./codeRows.ts"
import { ladderRows } from "./ladderRows.ts"
import type { LoopRow } from "./LoopRow.ts"
import { reversalRow } from "./reversalRow.ts"
import { sweptRows } from "./sweptRows.ts"
import { twoMarketsRow } from "./twoMarketsRow.ts"

/** In the order of the table. */
export const loopRows: ReadonlyArray<LoopRow> = [
  reversalRow,
  ...sweptRows,
  ...ladderRows,
  twoMarketsRow,
  ...codeRows,
  averagesRow
]
