/**
 * Previews an import while its settings are chosen, and imports the file.
 */
import { useEffect, useState } from "preact/hooks"
import { operationPath, send } from "../../api/call.ts"
import type { Answer, CandlePreviewRecord } from "../../api/types.ts"
import { queryOf, type Settings } from "./importing.ts"

/** The outcome of an import. */
export type Imported = Answer<"candles.import">

// The first bytes show the kind of a file; the type that a browser guesses by its name does not.
const headers = { "content-type": "application/octet-stream" }

const sendFile = async (
  name: "candles.import" | "candles.preview",
  file: File,
  settings: Settings,
  signal?: AbortSignal
): Promise<unknown> => {
  const path = operationPath(name, { query: queryOf(settings) })
  const init = { method: "POST", body: file, headers }
  const response = await send(path, signal === undefined ? init : { ...init, signal })
  return response.json()
}

/** Imports the file. */
export const importFile = async (file: File, settings: Settings): Promise<Imported> =>
  (await sendFile("candles.import", file, settings)) as Imported

/** The state of an import. */
export interface Previewed {
  readonly preview: CandlePreviewRecord | undefined
  readonly fault: unknown
  readonly isReading: boolean
}

const nothing: Previewed = { preview: undefined, fault: undefined, isReading: false }
const pauseMs = 350

/** The preview of a file under these settings; it waits until the settings rest. */
export const usePreview = (file: File | null, settings: Settings): Previewed => {
  const [state, setState] = useState(nothing)
  const written = JSON.stringify(settings)
  useEffect(() => {
    if (file === null || settings.symbol.trim() === "") {
      setState(nothing)
      return
    }
    const abort = new AbortController()
    setState((before) => ({ ...before, isReading: true }))
    const timer = setTimeout(() => {
      sendFile("candles.preview", file, settings, abort.signal).then(
        (preview) =>
          setState({ preview: preview as CandlePreviewRecord, fault: undefined, isReading: false }),
        (fault: unknown) => {
          if (abort.signal.aborted) return
          setState({ preview: undefined, fault, isReading: false })
        }
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [file, written])
  return state
}
