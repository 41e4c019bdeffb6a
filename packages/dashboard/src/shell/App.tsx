/**
 * The frame around every page: sign-in, navigation, the state of the stream, and keys.
 */
import type { ComponentType, VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { sessionKey, signOut } from "../api/session.ts"
import { streamState } from "../api/stream.ts"
import { Failure } from "../parts/states.tsx"
import { type DashboardPage, pageAt, type PageProps, pages } from "../pages/pages.ts"
import { KeysHelp, useKeys } from "./keys.tsx"
import { linkTo, route } from "./route.ts"
import { SignIn } from "./SignIn.tsx"
import { theme, turnTheme } from "./theme.ts"

const loaded = new Map<DashboardPage, ComponentType<PageProps>>()

/** The component of a page, once its files are there. */
const useLoaded = (
  page: DashboardPage | undefined
): ComponentType<PageProps> | string | undefined => {
  const [, setCount] = useState(0)
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    if (page === undefined || loaded.has(page)) return
    page.load().then(
      (module) => {
        loaded.set(page, module.default)
        setCount((count) => count + 1)
      },
      () => setFault("The page can't be loaded. Is the server there?")
    )
  }, [page])
  return page === undefined ? undefined : (loaded.get(page) ?? fault)
}

const stateWords = {
  off: ["", ""],
  connecting: ["connecting", "Connecting to live updates"],
  live: ["live", "Updates come as they happen"],
  refused: ["no live updates", "The key may not read events"]
} as const

const StreamMark = (): VNode => {
  const [word, title] = stateWords[streamState.value]
  return (
    <span class={`stream stream-${streamState.value}`} title={title} role="status">
      <span class="dot" aria-hidden="true" />
      {word}
    </span>
  )
}

const Navigation = ({ current }: { readonly current: string }): VNode => {
  const list = useRef<HTMLElement>(null)
  // A phone shows a part of it.
  useEffect(() => {
    const nav = list.current
    const link = nav?.querySelector<HTMLElement>("[aria-current]")
    if (nav == null || link == null) return
    nav.scrollTo({ left: link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2 })
  }, [current])
  return (
    <nav aria-label="Pages" ref={list}>
      {pages
        .filter(({ rest, letter }) => rest === 0 && letter !== undefined)
        .map(({ path, title }) => (
          <a
            key={path}
            href={linkTo(path === "" ? [] : [path])}
            aria-current={path === current ? "page" : undefined}
          >
            {title}
          </a>
        ))}
    </nav>
  )
}

const Sidebar = ({ current }: { readonly current: string }): VNode => (
  <header class="side">
    <a class="brand" href={linkTo([])}>
      <span class="mark" aria-hidden="true" />
      Candlewick
    </a>
    <Navigation current={current} />
    <div class="tools">
      <StreamMark />
      <button type="button" class="quiet" onClick={turnTheme}>
        Theme: {theme.value}
      </button>
      <button type="button" class="quiet" onClick={() => signOut()}>
        Sign out
      </button>
      <a class="quiet" href="docs">
        API docs
      </a>
    </div>
  </header>
)

const PageBody = (): VNode => {
  const { segments, query } = route.value
  const page = pageAt(segments)
  const Body = useLoaded(page)
  useEffect(() => {
    document.title = `${page?.title ?? "Not found"} · Candlewick`
    scrollTo(0, 0)
  }, [page, segments.join("/")])
  if (page === undefined) {
    return (
      <>
        <h1>Not found</h1>
        <Failure
          title="The page does not exist"
          text={`The dashboard has no page ${location.hash}.`}
        />
      </>
    )
  }
  if (typeof Body === "string") return <Failure title="This page is missing" text={Body} />
  if (Body === undefined)
    return (
      <p class="loading" role="status">
        Loading…
      </p>
    )
  return <Body key={segments.join("/")} rest={segments.slice(1)} query={query} />
}

/** The whole dashboard. */
export const App = (): VNode => {
  useKeys()
  if (sessionKey.value === null) return <SignIn />
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <Sidebar current={pageAt(route.value.segments)?.under ?? route.value.segments[0] ?? ""} />
      <main id="main" tabIndex={-1}>
        <PageBody />
        <footer>
          Charts by{" "}
          <a href="https://www.tradingview.com/" rel="noreferrer">
            TradingView Lightweight Charts
          </a>{" "}
          and uPlot · times are in UTC · <a href="assets/NOTICE.txt">notices</a> · press{" "}
          <kbd>?</kbd> for keys
        </footer>
      </main>
      <KeysHelp />
    </div>
  )
}
