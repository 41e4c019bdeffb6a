/**
 * One search: its progress, the results of the best in and out of sample, and all trials.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call, operationPath } from "../../api/call.ts"
import type { SearchResults } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { formatMoment, formatNumber, sentence, valuesOf } from "../../parts/format.ts"
import { Measures } from "../../parts/measures.tsx"
import { ProgressCard, useRun } from "../../parts/runs.tsx"
import { SaveButton } from "../../parts/SaveButton.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import { State } from "../../parts/values.tsx"
import { go, linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { Judgement } from "./Judgement.tsx"
import { Trials } from "./Trials.tsx"
import { WalkForward } from "./WalkForward.tsx"

type Operation = "apply" | "cancel"

const Operations = (props: {
  readonly search: SearchResults
  readonly again: () => void
}): VNode => {
  const { again, search } = props
  const [asked, setAsked] = useState<Operation | null>(null)
  const params = { id: search.id }
  const isOver = !["queued", "running"].includes(search.status)
  const isWorse = search.judgement?.is_worse_than_original === true
  const act = async (operation: Operation) => {
    if (operation === "cancel") {
      await call("optimizations.cancel", { params })
      again()
    } else {
      await call("optimizations.apply", { params, payload: {} })
      go(["strategies", search.strategy_id])
    }
  }
  return (
    <div class="commands">
      {search.config === undefined ? null : (
        <SaveButton
          title="Save the report"
          path={operationPath("optimizations.report", { params })}
          name={`search-${search.created_at.slice(0, 10)}.html`}
          accept="text/html"
        />
      )}
      {isOver ? (
        <button
          type="button"
          class="primary"
          disabled={search.best == null || isWorse}
          title={
            isWorse
              ? "The best did worse out of sample than the strategy's own parameters."
              : undefined
          }
          aria-describedby={isWorse ? "nothing-to-apply" : undefined}
          onClick={() => setAsked("apply")}
        >
          Apply the best
        </button>
      ) : (
        <button type="button" class="plain" onClick={() => setAsked("cancel")}>
          Cancel
        </button>
      )}
      {asked === null ? null : (
        <Confirm
          title={asked === "apply" ? "Apply the best trial" : "Cancel the search"}
          operation={asked === "apply" ? "Apply" : "Cancel the search"}
          isDangerous={asked === "cancel"}
          onDo={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked === "apply"
              ? "The strategy gets a new version with the best trial's parameters. Bots go on with theirs until they are started anew."
              : "Trials that are done are kept."}
          </p>
        </Confirm>
      )}
    </div>
  )
}

const Head = (props: { readonly search: SearchResults; readonly again: () => void }): VNode => {
  const { search } = props
  return (
    <div class="head">
      <div>
        <p class="crumb">
          <a href={linkTo(["searches"])}>Searches</a>
        </p>
        <h1>Search of {formatMoment(search.created_at)}</h1>
        <p class="badges">
          <State name={search.status} />{" "}
          <span class="note">
            {formatNumber(search.completed_trials, 0)} trials of{" "}
            <a href={linkTo(["strategies", search.strategy_id])}>the strategy</a>
            {search.config === undefined
              ? ""
              : ` · ${search.config.symbols.join(", ")} · ${search.config.timeframe}`}
          </span>
        </p>
      </div>
      <Operations {...props} />
    </div>
  )
}

const Report = ({ search }: { readonly search: SearchResults }): VNode | null => {
  const { best, config, original } = search
  if (config === undefined) return null
  const { constraints = [] } = config
  return (
    <>
      <Judgement search={search} />
      <section class="card">
        <h2>In and out of sample</h2>
        {best == null ? (
          <Empty title="No trial was eligible">
            None closed {config.min_positions} positions or more in sample.
          </Empty>
        ) : (
          <>
            <p>
              Best: {valuesOf(best.parameters)}. Chosen on candles before{" "}
              {formatMoment(config.split_at)}, judged on those after it.
            </p>
            <div class="bounded">
              <Measures
                caption="The best and the original, in and out of sample"
                columns={[
                  ["Best, in sample", best.in_sample.metrics],
                  ["Best, out of sample", best.out_of_sample.metrics],
                  ["Original, in sample", original?.in_sample.metrics],
                  ["Original, out of sample", original?.out_of_sample.metrics]
                ]}
              />
            </div>
          </>
        )}
        {constraints.length === 0 ? null : (
          <p class="note">Only sets that meet all of these were tried: {constraints.join(", ")}.</p>
        )}
      </section>
      <WalkForward search={search} />
      <Trials id={search.id} names={config.space.map(({ name }) => name)} />
    </>
  )
}

const Warnings = ({ search }: { readonly search: SearchResults }): VNode | null => {
  const texts = [
    ...(search.error === null ? [] : [search.error.message]),
    ...(search.warnings ?? [])
  ]
  return texts.length === 0 ? null : (
    <section class={`banner ${search.error === null ? "warn" : "bad"}`} aria-label="Warnings">
      {texts.map((text) => (
        <p key={text}>{sentence(text)}</p>
      ))}
    </section>
  )
}

const SearchPage = ({ rest }: PageProps): VNode => {
  const id = rest[0]!
  const asked = useAsked(
    (signal) => call("optimizations.results", { params: { id }, signal }),
    [id]
  )
  const note = useRun(id, asked.data, asked.again)
  return (
    <Shown asked={asked} what="the search">
      {(search) => (
        <>
          <Head search={search} again={asked.again} />
          {note === undefined ? null : <ProgressCard note={note} what="the search" />}
          <Warnings search={search} />
          <Report search={search} />
        </>
      )}
    </Shown>
  )
}

export default SearchPage
