/**
 * One strategy: its sentences, its verdict with the reasons, its parameters and versions.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { StrategyRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, formatNumber, formatParameter, sentence, words } from "../../parts/format.ts"
import { ProgressCard, useRun } from "../../parts/runs.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { State } from "../../parts/values.tsx"
import { EvidenceView, VerdictBadge } from "../../parts/verdict.tsx"
import { linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { Uses } from "./Uses.tsx"
import { Versions } from "./Versions.tsx"

const VersionBanner = (props: {
  readonly id: string
  readonly version: number
  readonly newest: number
}): VNode => (
  <p class="banner warn">
    This is version {props.version}, as it was kept; the newest is{" "}
    <a href={linkTo(["strategies", props.id])}>version {props.newest}</a>.
  </p>
)

const Head = ({
  isOld,
  strategy
}: {
  readonly strategy: StrategyRecord
  readonly isOld: boolean
}): VNode => (
  <div class="head">
    <div>
      <p class="crumb">
        <a href={linkTo(["strategies"])}>Strategies</a>
      </p>
      <h1>{strategy.name}</h1>
      <p class="badges">
        <State name={strategy.status} /> <VerdictBadge verdict={strategy.verdict} />{" "}
        <span class="note">
          {strategy.symbols.join(", ")} · {strategy.timeframe} · {strategy.origin} · version{" "}
          {strategy.version}
        </span>
      </p>
    </div>
    {strategy.definition === null || isOld ? null : <Uses strategy={strategy} />}
  </div>
)

const Warnings = ({ strategy }: { readonly strategy: StrategyRecord }): VNode | null => {
  const texts = [
    ...(strategy.error === null ? [] : [strategy.error.message]),
    ...(strategy.synthetic ? ["it was judged on synthetic candles"] : []),
    ...strategy.warnings
  ]
  return texts.length === 0 ? null : (
    <section class={`banner ${strategy.error === null ? "warn" : "bad"}`} aria-label="Warnings">
      {texts.map((text) => (
        <p key={text}>{sentence(text)}</p>
      ))}
    </section>
  )
}

const Parameters = ({ strategy }: { readonly strategy: StrategyRecord }): VNode => (
  <section class="card">
    <h2>Parameters</h2>
    {strategy.parameters.length === 0 ? (
      <Empty title="The strategy has no parameters" />
    ) : (
      <Table
        caption="Parameters"
        items={strategy.parameters}
        keyOf={({ name }) => name}
        columns={[
          { name: "Name", show: ({ name }) => words(name) },
          { name: "Kind", show: ({ kind }) => kind },
          { name: "Value", isNumber: true, show: ({ value }) => formatParameter(value) },
          { name: "From", isNumber: true, show: ({ min }) => formatParameter(min) },
          { name: "To", isNumber: true, show: ({ max }) => formatParameter(max) },
          { name: "Step", isNumber: true, show: ({ step }) => formatParameter(step) }
        ]}
      />
    )}
  </section>
)

const Sentences = ({ strategy }: { readonly strategy: StrategyRecord }): VNode => (
  <section class="card">
    <h2>What it does</h2>
    {strategy.description === null ? (
      <Empty title="The strategy has no rules yet" />
    ) : (
      <ul class="sentences">
        {strategy.description.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    )}
    {strategy.definition === null ? null : (
      <details>
        <summary>Its definition as JSON</summary>
        <pre class="json" tabIndex={0}>
          {JSON.stringify(strategy.definition, undefined, 2)}
        </pre>
      </details>
    )}
  </section>
)

const Provenance = ({ strategy }: { readonly strategy: StrategyRecord }): VNode | null => {
  const { provenance } = strategy
  return provenance === null ? null : (
    <p class="note">
      Found among {formatNumber(provenance.candidates_evaluated, 0)} candidates of which{" "}
      {formatNumber(provenance.candidates_eligible, 0)} were eligible, on candles from{" "}
      {formatMoment(provenance.data_from)} to {formatMoment(provenance.data_to)}, with seed{" "}
      {provenance.seed}.
    </p>
  )
}

interface Seen {
  /** The strategy, with the rules of the version that is asked for. */
  readonly strategy: StrategyRecord
  readonly newest: number
}

const load = async (id: string, number: string | null, signal: AbortSignal): Promise<Seen> => {
  const strategy = await call("strategies.get", { params: { id }, signal })
  const newest = strategy.version
  if (number === null || number === String(newest)) return { strategy, newest }
  const version = await call("strategies.version", { params: { id, number }, signal })
  return { strategy: { ...strategy, ...version }, newest }
}

const StrategyPage = ({ query, rest }: PageProps): VNode => {
  const id = rest[0]!
  const number = query.get("version")
  const asked = useAsked((signal) => load(id, number, signal), [id, number])
  const note = useRun(id, asked.data?.strategy, asked.again)
  return (
    <Shown asked={asked} what="the strategy">
      {({ newest, strategy }) => (
        <>
          <Head strategy={strategy} isOld={strategy.version !== newest} />
          {strategy.version === newest ? null : (
            <VersionBanner id={id} version={strategy.version} newest={newest} />
          )}
          {note === undefined ? null : <ProgressCard note={note} what="the generation" />}
          <Warnings strategy={strategy} />
          <Sentences strategy={strategy} />
          <section class="card">
            <h2>
              Verdict <VerdictBadge verdict={strategy.verdict} />
            </h2>
            {strategy.evidence === null ? (
              <Empty title="The strategy has no verdict">
                A generated strategy is judged on candles that did not choose it. A search tells the
                same of one that was written.
              </Empty>
            ) : (
              <EvidenceView evidence={strategy.evidence} />
            )}
            <Provenance strategy={strategy} />
          </section>
          <Parameters strategy={strategy} />
          <Versions id={id} version={newest} />
        </>
      )}
    </Shown>
  )
}

export default StrategyPage
