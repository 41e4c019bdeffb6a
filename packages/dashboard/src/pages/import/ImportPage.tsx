/**
 * Imports a file of candles.
 *
 * The page shows the result in advance, while the reader sets how to read the file.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { RefusedCall, sentenceOf } from "../../api/call.ts"
import { formatNumber } from "../../parts/format.ts"
import { linkTo } from "../../shell/route.ts"
import { linkToSeries } from "../candles/linkToSeries.ts"
import type { PageProps } from "../pages.ts"
import { FileChoice } from "./FileChoice.tsx"
import { marketOfFileName, outcomeOf, type Settings, settingsFor, settle } from "./importing.ts"
import { Faults, Preview, Unread } from "./Preview.tsx"
import { SettingsForm } from "./SettingsForm.tsx"
import { type Imported, importFile, type Previewed, usePreview } from "./usePreview.ts"

const Done = (props: { readonly done: Imported; readonly onMore: () => void }): VNode => {
  const { done, onMore } = props
  return (
    <section class="banner good" role="status">
      <p>
        <strong>
          {done.symbol} {done.timeframe} has {formatNumber(done.candle_count, 0)} candles now.
        </strong>{" "}
        {outcomeOf(done.imported)}
      </p>
      {done.warnings.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <div class="actions-row">
        <a class="button" href={linkToSeries(done)}>
          Look at the series
        </a>
        <button type="button" class="plain" onClick={onMore}>
          Import another file
        </button>
      </div>
    </section>
  )
}

const Operation = (props: {
  readonly seen: Previewed
  readonly isBusy: boolean
  readonly onImport: () => void
}): VNode => {
  const { isBusy, onImport, seen } = props
  const would = seen.preview?.would ?? null
  const count = would === null ? 0 : would.added_count + would.replaced_count
  return (
    <div class="actions-row">
      <button
        type="button"
        class="primary"
        disabled={isBusy || seen.isReading || would === null || count === 0}
        onClick={onImport}
      >
        {isBusy ? "Importing…" : `Import ${count === 0 ? "" : `${formatNumber(count, 0)} candles`}`}
      </button>
      <span class="note" role="status">
        {seen.isReading
          ? "Reading the file…"
          : would !== null && count === 0
            ? "The file has no new candles."
            : "The server keeps no candle before you import."}
      </span>
    </div>
  )
}

const ImportPage = ({ query }: PageProps): VNode => {
  const [file, setFile] = useState<File | null>(null)
  const asGiven = () => settingsFor(query.get("symbol") ?? "", query.get("timeframe") ?? "")
  const [settings, setSettings] = useState<Settings>(asGiven)
  const [done, setDone] = useState<Imported | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const seen = usePreview(done === null ? file : null, settings)
  const choose = (chosen: File | null) => {
    setFile(chosen)
    setRefused(null)
    setDone(null)
    const symbol = query.get("symbol") ?? (chosen === null ? "" : marketOfFileName(chosen.name))
    setSettings({ ...asGiven(), symbol })
  }
  const act = () => {
    setIsBusy(true)
    setRefused(null)
    importFile(file!, settings)
      .then(setDone, setRefused)
      .finally(() => setIsBusy(false))
  }
  const reading = seen.preview?.reading ?? null
  return (
    <>
      <div>
        <p class="crumb">
          <a href={linkTo(["candles"])}>Candles</a>
        </p>
        <h1>Import candles</h1>
      </div>
      {done === null ? (
        <section class="card">
          <FileChoice file={file} onChoose={choose} />
          {file === null ? null : (
            <>
              <SettingsForm
                settings={settings}
                onChange={setSettings}
                reading={reading}
                isZip={file.name.toLowerCase().endsWith(".zip")}
              />
              <Operation seen={seen} isBusy={isBusy} onImport={act} />
            </>
          )}
        </section>
      ) : (
        <Done done={done} onMore={() => choose(null)} />
      )}
      {refused === null ? null : (
        <Faults
          title={sentenceOf(refused)}
          faults={refused instanceof RefusedCall ? refused.faults : []}
        />
      )}
      {done !== null || seen.fault === undefined ? null : <Unread fault={seen.fault} />}
      {done !== null || seen.preview === undefined ? null : (
        <Preview
          preview={seen.preview}
          onSettle={(answer) => setSettings(settle(settings, answer))}
        />
      )}
    </>
  )
}

export default ImportPage
