/**
 * Asks the server when a component appears, and again when it is told to.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { StreamEvent } from "../api/readEvents.ts"
import { onEvent } from "../api/stream.ts"

/** The state of a question to the server. */
export interface Asked<A> {
  readonly data: A | undefined
  readonly fault: unknown
  readonly isAsking: boolean
  /** Asks again, and keeps what is there until the answer comes. */
  readonly again: () => void
}

/** Asks once, and again whenever one of these changes. */
export const useAsked = <A>(
  ask: (signal: AbortSignal) => Promise<A>,
  inputs: ReadonlyArray<unknown>
): Asked<A> => {
  const [count, setCount] = useState(0)
  const [state, setState] = useState<Omit<Asked<A>, "again">>({
    data: undefined,
    fault: undefined,
    isAsking: true
  })
  useEffect(() => {
    const abort = new AbortController()
    setState((before) => ({ ...before, isAsking: true }))
    ask(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ data, fault: undefined, isAsking: false })
      },
      (fault: unknown) => {
        if (!abort.signal.aborted) setState((before) => ({ ...before, fault, isAsking: false }))
      }
    )
    return () => abort.abort()
  }, [...inputs, count])
  const again = useCallback(() => setCount((before) => before + 1), [])
  return { ...state, again }
}

const pauseMs = 800

/** Calls this after events that matter, once for all that come close together. */
export const useEvents = (matters: (event: StreamEvent) => boolean, act: () => void): void => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvent((event) => {
      if (timer !== undefined || !matters(event)) return
      timer = setTimeout(() => {
        timer = undefined
        latest.current()
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
}
