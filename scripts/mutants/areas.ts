/**
 * The rules whose tests must notice nearly every small change: each area has a file and the tests
 * beside it. `npm run mutants` without a file runs all of them and prints the scores.
 */

/** An area, the file that has its rules, and the tests that are to notice changes of the file. */
export interface Area {
  readonly name: string
  readonly file: string
  readonly tests: ReadonlyArray<string>
}

/** The share of changes, in percent, that the tests of an area notice at least. */
export const scoreMinPercent = 85

const engine = "packages/engine"
const core = "packages/core"
const venueTests = `${core}/test/services/venues`

/** All areas, in the order in which an order passes them. */
export const areas: ReadonlyArray<Area> = [
  {
    name: "decide",
    file: `${engine}/src/kernel/decide.ts`,
    tests: [`${engine}/test/kernel/decide.test.ts`]
  },
  {
    name: "sizing",
    file: `${engine}/src/kernel/sizing.ts`,
    tests: [`${engine}/test/kernel/sizing.test.ts`]
  },
  {
    name: "fills",
    file: `${engine}/src/match/fillRules.ts`,
    tests: [`${engine}/test/match/fillRules.test.ts`]
  },
  {
    name: "protection in the simulator",
    file: `${engine}/src/match/levelRules.ts`,
    tests: [`${engine}/test/match/levelRules.test.ts`]
  },
  {
    name: "protection at a venue",
    file: `${core}/src/services/venues/books/planProtection.ts`,
    tests: [`${venueTests}/books/planProtection.test.ts`]
  },
  {
    name: "ledger",
    file: `${engine}/src/kernel/ledger.ts`,
    tests: [`${engine}/test/kernel/ledger.test.ts`]
  },
  {
    name: "risk gate",
    file: `${engine}/src/kernel/riskGate.ts`,
    tests: [`${engine}/test/kernel/riskGate.test.ts`]
  },
  {
    name: "order protocol",
    file: `${core}/src/services/venues/agent/judgeAttempt.ts`,
    tests: [`${venueTests}/judgeAttempt.test.ts`, `${venueTests}/agentRules.test.ts`]
  },
  {
    name: "proof that an order is not there",
    file: `${core}/src/services/venues/agent/timeFence.ts`,
    tests: [`${venueTests}/agentRules.test.ts`]
  },
  {
    name: "reconciliation",
    file: `${core}/src/services/bots/compareBooks.ts`,
    tests: [`${core}/test/services/bots/compareBooks.test.ts`]
  },
  {
    name: "verdict",
    file: `${core}/src/services/runs/generate/decideVerdict.ts`,
    tests: [`${core}/test/services/runs/generate/decideVerdict.test.ts`]
  },
  {
    name: "delivery decisions",
    file: "packages/webhooks/src/decideDelivery.ts",
    tests: ["packages/webhooks/test/decideDelivery.test.ts"]
  },
  {
    name: "idempotency",
    file: "packages/http/src/server/idempotency.ts",
    tests: ["packages/http/test/server/Idempotency.test.ts"]
  },
  {
    name: "authorisation",
    file: "packages/http/src/server/authorise.ts",
    tests: ["packages/http/test/server/authorise.test.ts"]
  },
  {
    name: "durable files",
    file: "packages/store-postgres/src/internal/DurableFs.ts",
    tests: ["packages/store-postgres/test/embedded/DurableFs.test.ts"]
  }
]
