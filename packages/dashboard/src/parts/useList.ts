/**
 * A list of the server as far as it is loaded: a page at a time, as its end comes in sight.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { sentenceOf } from "../api/call.ts"

/** A page of a list. */
export interface ListPage<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** A list as far as it is loaded. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly isDone: boolean
  readonly isLoading: boolean
  readonly fault: string | undefined
  /** Loads the first page again. */
  readonly start: () => void
  readonly loadMore: () => void
  /** Changes items that are loaded. */
  readonly change: (change: (item: A) => A) => void
}

interface State<A> {
  readonly items: ReadonlyArray<A>
  readonly cursor: string | undefined
  readonly isDone: boolean
  readonly fault: string | undefined
}

/** Loads a list, and loads it anew whenever one of these inputs changes. */
export const useList = <A>(
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<A>>,
  inputs: ReadonlyArray<unknown>
): Listed<A> => {
  const [state, setState] = useState<State<A>>({
    items: [],
    cursor: undefined,
    isDone: false,
    fault: undefined
  })
  const [isLoading, setIsLoading] = useState(true)
  const abort = useRef<AbortController>(null)

  const load = useCallback(async (cursor: string | undefined, before: ReadonlyArray<A>) => {
    abort.current?.abort()
    const { signal } = (abort.current = new AbortController())
    setIsLoading(true)
    try {
      const page = await ask(cursor, signal)
      if (signal.aborted) return
      const items = [...before, ...page.data]
      const next = page.next_cursor ?? undefined
      setState({ items, cursor: next, isDone: !page.has_more, fault: undefined })
    } catch (error) {
      if (signal.aborted) return
      setState((last) => ({ ...last, fault: sentenceOf(error) }))
    }
    setIsLoading(false)
  }, inputs)
  const start = useCallback(() => void load(undefined, []), [load])
  useEffect(() => {
    start()
    return () => abort.current?.abort()
  }, [start])

  const loadMore = () => {
    if (isLoading || state.isDone || state.fault !== undefined) return
    void load(state.cursor, state.items)
  }
  const change = (make: (item: A) => A) =>
    setState((last) => ({ ...last, items: last.items.map(make) }))
  const { fault, isDone, items } = state
  return { items, isDone, isLoading, fault, start, loadMore, change }
}
