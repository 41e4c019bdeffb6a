/**
 * The pages: the path and the name of each, and the folder that is loaded for it.
 *
 * A page is a folder here whose main file has a default export, a component that takes `PageProps`.
 * It is loaded when it is first gone to.
 */
import type { ComponentType } from "preact"

/** The properties of a page. */
export interface PageProps {
  /** The segments of the address behind the page's own. */
  readonly rest: ReadonlyArray<string>
  readonly query: URLSearchParams
}

/** A page. */
export interface DashboardPage {
  /** The first segment of its address. */
  readonly path: string
  readonly title: string
  /** The letter that goes there after `g`; none of pages that others lead to. */
  readonly letter?: string
  /** How many segments follow: 0 of a list, 1 of a record. */
  readonly rest: 0 | 1
  /** The first segment of the page in the navigation that it belongs to, where that is another. */
  readonly under?: string
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>
}

/** Every page, in the order of the navigation. */
export const pages: ReadonlyArray<DashboardPage> = [
  {
    path: "",
    title: "Overview",
    letter: "o",
    rest: 0,
    load: () => import("./overview/Overview.tsx")
  },
  { path: "bots", title: "Bots", letter: "b", rest: 0, load: () => import("./bots/Bots.tsx") },
  { path: "bots", title: "Bot", rest: 1, load: () => import("./bot/BotPage.tsx") },
  {
    path: "strategies",
    title: "Strategies",
    letter: "s",
    rest: 0,
    load: () => import("./strategies/Strategies.tsx")
  },
  {
    path: "strategies",
    title: "Strategy",
    rest: 1,
    load: () => import("./strategy/StrategyPage.tsx")
  },
  {
    path: "write",
    title: "Write a strategy",
    rest: 0,
    under: "strategies",
    load: () => import("./write/WritePage.tsx")
  },
  {
    path: "searches",
    title: "Searches",
    letter: "e",
    rest: 0,
    load: () => import("./searches/Searches.tsx")
  },
  { path: "searches", title: "Search", rest: 1, load: () => import("./search/SearchPage.tsx") },
  {
    path: "backtests",
    title: "Backtests",
    letter: "t",
    rest: 0,
    load: () => import("./backtests/Backtests.tsx")
  },
  {
    path: "backtests",
    title: "Backtest",
    rest: 1,
    load: () => import("./backtest/BacktestPage.tsx")
  },
  {
    path: "compare",
    title: "Two backtests",
    rest: 0,
    under: "backtests",
    load: () => import("./compare/ComparePage.tsx")
  },
  {
    path: "candles",
    title: "Candles",
    letter: "c",
    rest: 0,
    load: () => import("./candles/Candles.tsx")
  },
  {
    path: "series",
    title: "Series",
    rest: 0,
    under: "candles",
    load: () => import("./series/SeriesPage.tsx")
  },
  {
    path: "import",
    title: "Import candles",
    rest: 0,
    under: "candles",
    load: () => import("./import/ImportPage.tsx")
  },
  {
    path: "webhooks",
    title: "Webhooks",
    letter: "w",
    rest: 0,
    load: () => import("./webhooks/Webhooks.tsx")
  },
  { path: "webhooks", title: "Webhook", rest: 1, load: () => import("./webhook/WebhookPage.tsx") },
  {
    path: "delivery",
    title: "Delivery",
    rest: 0,
    under: "webhooks",
    load: () => import("./delivery/DeliveryPage.tsx")
  },
  {
    path: "alerts",
    title: "Alerts",
    letter: "l",
    rest: 0,
    load: () => import("./alerts/Alerts.tsx")
  },
  {
    path: "account",
    title: "Account",
    letter: "a",
    rest: 0,
    load: () => import("./account/AccountPage.tsx")
  }
]

/** The page of an address. */
export const pageAt = (segments: ReadonlyArray<string>): DashboardPage | undefined =>
  pages.find(
    ({ path, rest }) => (segments[0] ?? "") === path && Math.max(0, segments.length - 1) === rest
  )
