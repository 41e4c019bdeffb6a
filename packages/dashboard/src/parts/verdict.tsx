/**
 * The verdict on a strategy, and its grounds.
 */
import type { VNode } from "preact"
import type { StrategyRecord } from "../api/types.ts"
import { formatNumber, formatShare, sentence } from "./format.ts"
import { Measures } from "./measures.tsx"

const shown = {
  deployable: ["good", "deployable"],
  caution: ["warn", "caution"],
  no_edge_found: ["bad", "no edge found"]
} as const

/** The verdict in a word. */
export const VerdictBadge = ({ verdict }: Pick<StrategyRecord, "verdict">): VNode => {
  if (verdict === null) return <span class="faint">none</span>
  const [tone, text] = shown[verdict]
  return <span class={`badge ${tone}`}>{text}</span>
}

type Evidence = NonNullable<StrategyRecord["evidence"]>

const RandomEntries = ({ evidence }: { readonly evidence: Evidence }): VNode | null => {
  const { random_entries: random } = evidence
  return random === null ? null : (
    <p class="note">
      It beat {formatShare(random.beaten_rate, 0)} of {formatNumber(random.count, 0)} strategies
      with as many random entries.
    </p>
  )
}

/** The gates of a verdict, and the metrics behind them. */
export const EvidenceView = ({ evidence }: { readonly evidence: Evidence }): VNode => (
  <>
    <ul class="gates">
      {evidence.gates.map(({ is_passed: isPassed, name, sentence: text }) => (
        <li key={name} class={isPassed ? "passed" : "missed"}>
          <span class="gate">{isPassed ? "passed" : "failed"}</span> {sentence(text)}
        </li>
      ))}
    </ul>
    <RandomEntries evidence={evidence} />
    {evidence.in_sample === null && evidence.out_of_sample === null ? null : (
      <div class="bounded">
        <Measures
          caption="In and out of sample"
          columns={[
            ["In sample", evidence.in_sample?.metrics],
            ["Out of sample", evidence.out_of_sample?.metrics],
            ["Buy and hold", evidence.buy_and_hold ?? undefined]
          ]}
        />
      </div>
    )}
    <p class="note">{evidence.rule}</p>
  </>
)
