/**
 * The list of bots as far as it is loaded.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { call, sentenceOf } from "../../api/call.ts"
import type { BotRecord } from "../../api/types.ts"

/** The filters of the list; an empty text narrows nothing. */
export interface BotFilter {
  readonly name?: string
  readonly status?: string
  readonly mode?: string
}

interface Loaded {
  readonly bots: ReadonlyArray<BotRecord>
  readonly cursor: string | null
  readonly isDone: boolean
  readonly fault: string | undefined
}

const nothing: Loaded = { bots: [], cursor: null, isDone: false, fault: undefined }

const pageSize = 100
// A command takes a moment to be carried out.
const looksMs = [300, 1_000, 3_000]

const given = (text: string | undefined): string | undefined => (text === "" ? undefined : text)

/** The list of bots, and how it goes on. */
export const useBots = (filter: BotFilter) => {
  const [state, setState] = useState(nothing)
  const [isLoading, setIsLoading] = useState(true)
  const abort = useRef<AbortController>(null)
  const { mode, name, status } = filter

  const load = useCallback(
    async (cursor: string | null, before: ReadonlyArray<BotRecord>) => {
      abort.current?.abort()
      const { signal } = (abort.current = new AbortController())
      setIsLoading(true)
      const query = {
        limit: pageSize,
        name: given(name),
        status: given(status),
        mode: given(mode),
        cursor: cursor ?? undefined
      }
      try {
        const page = await call("bots.list", { query, signal })
        if (signal.aborted) return
        const bots = [...before, ...page.data]
        setState({ bots, cursor: page.next_cursor, isDone: !page.has_more, fault: undefined })
      } catch (error) {
        if (signal.aborted) return
        setState((last) => ({ ...last, fault: sentenceOf(error) }))
      }
      setIsLoading(false)
    },
    [name, status, mode]
  )
  const start = useCallback(() => void load(null, []), [load])
  useEffect(() => {
    start()
    return () => abort.current?.abort()
  }, [start])

  const loadMore = () => {
    if (isLoading || state.isDone || state.fault !== undefined) return
    void load(state.cursor, state.bots)
  }
  /** Reads a bot again, until its command is carried out. */
  const renew = (id: string) => {
    for (const wait of looksMs) {
      setTimeout(() => {
        call("bots.get", { params: { id } }).then(
          (bot) =>
            setState((last) => ({
              ...last,
              bots: last.bots.map((one) => (one.id === id ? bot : one))
            })),
          () => undefined
        )
      }, wait)
    }
  }
  return { ...state, isLoading, start, loadMore, renew }
}
