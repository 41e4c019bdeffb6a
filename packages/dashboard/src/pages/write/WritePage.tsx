/**
 * A form that writes a strategy, and shows it in sentences meanwhile.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call, sentenceOf } from "../../api/call.ts"
import type { PayloadOf } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { sentence } from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { go, linkTo } from "../../shell/route.ts"
import { Basics, RiskFields } from "./Basics.tsx"
import { draftDefinition, type StrategyDraft, firstDraft } from "./draft.ts"
import { Rules } from "./Rules.tsx"
import { type Checked, useCheck } from "./useCheck.ts"

const Said = ({ checked }: { readonly checked: Checked }): VNode => (
  <section class="card said" aria-live="polite">
    <h2>{checked.isFine ? "It says" : "Not yet"}</h2>
    {checked.problem === undefined ? null : <p class="fault">{sentence(checked.problem)}</p>}
    {checked.faults.length === 0 ? null : (
      <ul class="sentences">
        {checked.faults.map(({ message, pointer }) => (
          <li key={`${pointer} ${message}`}>
            <span class="fault">{sentence(message)}</span>{" "}
            <code>{pointer.replace(/^#?\/definition/, "")}</code>
          </li>
        ))}
      </ul>
    )}
    <ul class="sentences">
      {checked.sentences.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    {checked.warnings.map((text) => (
      <p key={text} class="banner warn">
        {sentence(text)}
      </p>
    ))}
  </section>
)

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const FormFields = (props: {
  readonly draft: StrategyDraft
  readonly checked: Checked
  readonly onChange: (draft: StrategyDraft) => void
}): VNode => {
  const { checked, draft, onChange } = props
  const { faults } = checked
  const rules = { side: draft.side, faults }
  return (
    <>
      <Rules
        {...rules}
        part="enter"
        title="Enter"
        rules={draft.enter}
        onChange={(enter) => onChange({ ...draft, enter })}
      />
      <Rules
        {...rules}
        part="exit"
        title="Leave"
        rules={draft.exit}
        onChange={(exit) => onChange({ ...draft, exit })}
      />
      <RiskFields draft={draft} onChange={onChange} />
    </>
  )
}

const Json = (props: {
  readonly text: string
  readonly onChange: (text: string) => void
}): VNode => (
  <label class="wide">
    Definition as JSON
    <textarea
      rows={24}
      spellcheck={false}
      value={props.text}
      onInput={(event) => props.onChange(event.currentTarget.value)}
    />
  </label>
)

const Editor = (props: {
  readonly first: StrategyDraft
  readonly markets: ReadonlyArray<string>
}): VNode => {
  const [draft, setDraft] = useState(props.first)
  const [json, setJson] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const definition = json === null ? draftDefinition(draft) : readJson(json)
  const checked = useCheck(draft.name, definition)
  const keep = (event: Event) => {
    event.preventDefault()
    const payload = { name: draft.name, definition } as PayloadOf<"strategies.write">
    call("strategies.write", { payload }).then(
      ({ id }) => go(["strategies", id]),
      (error: unknown) => setFault(sentenceOf(error))
    )
  }
  const turn = () => setJson(json === null ? JSON.stringify(definition, undefined, 2) : null)
  return (
    <form class="editor" onSubmit={keep}>
      <section class="card">
        <Basics draft={draft} markets={props.markets} isJson={json !== null} onChange={setDraft} />
        {json === null ? (
          <FormFields draft={draft} checked={checked} onChange={setDraft} />
        ) : (
          <Json text={json} onChange={setJson} />
        )}
        {fault === null ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <div class="commands">
          <button class="primary" disabled={!checked.isFine || draft.name.trim() === ""}>
            Keep the strategy
          </button>
          <button type="button" class="plain" onClick={turn}>
            {json === null ? "Write it as JSON" : "Back to the form"}
          </button>
        </div>
      </section>
      <Said checked={checked} />
    </form>
  )
}

interface Markets {
  readonly first: StrategyDraft
  readonly markets: ReadonlyArray<string>
}

const loadMarkets = async (signal: AbortSignal): Promise<Markets> => {
  const { data } = await call("candles.list", { query: { limit: 100 }, signal })
  const { symbol = "BTC/USD", timeframe = "1d" } = data[0] ?? {}
  return {
    first: { ...firstDraft, symbol, timeframe },
    markets: [...new Set(data.map((series) => series.symbol))]
  }
}

const WritePage = (): VNode => {
  const asked = useAsked(loadMarkets, [])
  return (
    <>
      <div>
        <p class="crumb">
          <a href={linkTo(["strategies"])}>Strategies</a>
        </p>
        <h1>Write a strategy</h1>
      </div>
      <Shown asked={asked} what="the markets">
        {(seen) => <Editor {...seen} />}
      </Shown>
    </>
  )
}

export default WritePage
