/**
 * Histories that once failed: every run of the tests runs them again.
 */
import { readFileSync } from "node:fs"
import type { History } from "./history.ts"
import { drawPlainLiveHistory } from "./live/liveHistory.ts"

/** A history as it was made short. */
const read = (name: string): History =>
  JSON.parse(readFileSync(new URL(`./cases/${name}.json`, import.meta.url), "utf8")) as History

/** The histories, with the fault that each of them showed. */
export const cases: ReadonlyArray<{ readonly fault: string; readonly history: History }> = [
  {
    fault: "an account's agent began within a transaction of its bot",
    history: drawPlainLiveHistory("4")
  },
  {
    fault: "a bot waited for its agent, which waited for the bot",
    history: drawPlainLiveHistory("11")
  },
  {
    fault: "a bot waited without end for the terms of its markets",
    history: drawPlainLiveHistory("50")
  },
  { fault: "a stop filled in part before it was replaced", history: drawPlainLiveHistory("26") },
  {
    fault: "an agent that could not begin left its bot without a fibre",
    history: drawPlainLiveHistory("20")
  },
  { fault: "a stop filled in part was taken for filled", history: drawPlainLiveHistory("97") },
  {
    fault: "the rest of an entry came after its stop had sold the first part",
    history: drawPlainLiveHistory("94")
  },
  { fault: "a lot opened again had its stop already", history: drawPlainLiveHistory("305") },
  {
    fault: "a watched target was taken for an order that got lost",
    history: drawPlainLiveHistory("523")
  },
  {
    fault: "a stopped bot did not hear of the fills of an entry that it had taken back",
    history: drawPlainLiveHistory("356")
  },
  {
    fault: "a stop that closes was over before an entry of its bot had filled",
    history: drawPlainLiveHistory("694")
  },
  {
    fault: "a target that was taken back was looked for at the exchange",
    history: drawPlainLiveHistory("714")
  },
  {
    fault: "nobody attended to the exchange of a stopped bot after a restart",
    history: drawPlainLiveHistory("1084")
  },
  {
    fault: "an account came back to a process whose agent had ended",
    history: drawPlainLiveHistory("1335")
  },
  {
    fault: "the last part of an order was too little for a fill that ends it",
    history: drawPlainLiveHistory("1126")
  },
  {
    fault: "holdings that were ahead of the trades shut the gate of a bot",
    history: drawPlainLiveHistory("542")
  },
  {
    fault: "a stop that had sold a part was opened again in two moves at once",
    history: drawPlainLiveHistory("634")
  },
  {
    fault: "a position that was leaving counted as unprotected",
    history: drawPlainLiveHistory("101")
  },
  {
    fault: "an account was compared while a trade was yet to be told",
    history: drawPlainLiveHistory("609")
  },
  {
    fault: "an entry filled against one that was being taken back",
    history: read("a-reversal-that-is-taken-back")
  },
  {
    fault: "funding that was told with the entry was left out of a bot's books",
    history: read("funding-told-with-the-entry")
  },
  {
    fault: "an exit and a stop together closed what another bot held",
    history: read("exits-of-two-bots")
  },
  { fault: "a stop closed what another bot held", history: read("stops-of-two-bots") },
  { fault: "an entry waited for one that was given up", history: read("an-entry-given-up") },
  {
    fault: "reductions that were under way together sold the owner's coins",
    history: read("reductions-that-overlap")
  },
  {
    fault: "a target cut a part of its stop off once another bot entered its market",
    history: read("a-target-beside-another-bot")
  },
  {
    fault: "a stop and the one that it replaced closed what another bot had just bought",
    history: read("a-stop-replaced-beside-an-entry")
  },
  {
    fault: "an agent that was ousted while its store failed stayed the agent of its account",
    history: read("an-agent-ousted-while-its-store-failed")
  },
  {
    fault:
      "an entry filled after its backtest was flat again, and what it kept the bot from had no cause",
    history: read("a-flat-backtest-before-a-late-entry")
  },
  {
    fault:
      "a bot was kept from an entry at the last candle before its exchange was well, and the entry had no cause",
    history: read("an-entry-kept-back-before-it-was-well")
  },
  {
    fault: "an entry that would have rested was never ordered, and had no cause",
    history: read("a-resting-entry-kept-back")
  },
  {
    fault: "a line of funding gave the time of its exchange for a candle",
    history: read("funding-beside-a-recording")
  },
  {
    fault: "an entry was yet to fill past the newest candle, and its rest had no cause",
    history: read("an-entry-in-parts-past-the-end")
  },
  {
    fault: "a stop had an exit of the strategy filled at once, which had no cause",
    history: read("an-exit-filled-by-a-stop")
  },
  {
    fault: "the end of a forced exit reworded its reason, and its fills had no cause",
    history: read("a-forced-exit-with-nothing-left")
  },
  {
    fault: "a target left at the market with a rest of which its order filled more",
    history: read("a-target-left-while-it-filled")
  },
  {
    fault: "an entry that waited and the bot that it waited for woke each other without a pause",
    history: read("a-bot-woken-without-pause")
  },
  {
    fault: "a lot too small to be sold was taken for one that lacks its stop",
    history: read("dust-beside-a-stop")
  },
  {
    fault: "a fibre that was interrupted before it began went on, in the simulation alone",
    history: read("a-fibre-interrupted-before-it-began")
  },
  {
    fault:
      "a kill switch was noted before the entry that had left ahead of it, in the simulation alone",
    history: read("an-entry-sent-beside-the-switch")
  },
  {
    fault: "a stop that closes came after one that keeps, and an entry filled after both",
    history: read("a-stop-that-closes-after-one-that-keeps")
  },
  {
    fault: "the simulation valued an entry at its trigger by the last close",
    history: read("a-stop-entry-near-the-limit")
  },
  {
    fault: "a stop that was taken back counted as one while its exchange did not answer",
    history: read("a-stop-taken-back-in-silence")
  },
  {
    fault: "holdings that were read as they had been before a trade were called a mismatch",
    history: read("holdings-older-than-trades")
  },
  {
    fault: "the simulation asked for a stop's end sooner than accounts are reconciled",
    history: read("a-stop-rejected-in-silence")
  },
  {
    fault: "a bot heard late that an entry was refused, and passing the next one over had no cause",
    history: read("a-refusal-heard-late")
  },
  {
    fault: "an order of the same candle was the cause of a fill, so that its own one had none",
    history: read("a-later-refusal-than-the-fill")
  },
  {
    fault:
      "lines had rested in the backtest since its exchange had kept the bot from ordering them",
    history: read("lines-that-rested-in-the-backtest")
  },
  {
    fault: "the simulation asked one stop of many for the parts of a step that all had left",
    history: read("many-lots-after-fees")
  },
  {
    fault: "a stop that closes asked for all that was held while an exit of a part was under way",
    history: read("an-exit-beside-parts-of-an-entry")
  },
  {
    fault: "a stop that closes asked once for the exit of an entry that filled after it",
    history: read("an-exit-refused-after-a-stop")
  },
  {
    fault:
      "a step that was given up while it was queued kept all other bots of its process waiting",
    history: read("a-step-given-up-in-the-queue")
  },
  {
    fault:
      "a bot stopped before its stop had left, and nobody audited it while its exchange failed",
    history: read("a-bare-lot-at-rest-in-silence")
  },
  {
    fault:
      "a close led to a later exit than the backtest's, and the entry in its cooldown had no cause",
    history: read("an-entry-in-the-cooldown-of-a-closed-bot")
  },
  {
    fault: "a stop waited for an unknown order, and the entry that it passed over had no cause",
    history: read("an-entry-missed-by-a-stop-that-waits")
  },
  {
    fault: "an entry filled on after its stop had sold, and the next one had no cause",
    history: read("an-entry-beside-one-that-fills-on")
  },
  {
    fault: "a passed target waited for its stop to go, and nobody heard that neither rested",
    history: read("a-passed-target-that-waits")
  },
  {
    fault: "a line of a failing bot named no candle, so that its hindrance ended too soon",
    history: read("an-end-of-data-before-a-failing-bot")
  },
  {
    fault:
      "an exit was sent beside a stop of unknown outcome, and both sold: the coins of another bot",
    history: read("an-exit-beside-an-unknown-stop")
  },
  {
    fault: "a clock was set back after a stop that closes, which then waited for an hour",
    history: read("a-clock-set-back-during-a-stop")
  },
  {
    fault: "a trade that had just come hid that a bot lacked coins, and its gate opened",
    history: read("a-lack-hidden-by-a-trade")
  },
  {
    fault: "a fill of another bot hid that a bot lacked coins, and its gate opened",
    history: read("a-lack-hidden-by-a-fill")
  },
  {
    fault: "coins that an owner put back had no stop, and no order could sell them",
    history: read("coins-put-back-without-their-stop")
  },
  {
    fault: "a sale of coins that were sold by hand was taken back and sent again without a pause",
    history: read("a-cut-sale-in-circles")
  },
  {
    fault: "an exchange whose clock was behind dated a fill before its decision",
    history: read("a-fill-before-its-decision")
  },
  {
    fault: "the rest of a position was no more exact than the position, and its bot was halted",
    history: read("a-rest-as-exact-as-its-position")
  },
  {
    fault: "the simulation asked for an entry whose `until` was over before any candle",
    history: read("an-entry-of-a-past-time")
  },
  {
    fault: "the simulation asked for a second alert of a stop that its bot never knew to rest",
    history: read("a-stop-that-came-to-rest-unseen")
  },
  {
    fault: "each stop that its exchange took and rejected began the time without one anew",
    history: read("stops-rejected-one-after-another")
  },
  {
    fault: "a process ended before it compared coins that were back, and none did so after it",
    history: read("a-return-of-coins-not-compared")
  },
  {
    fault:
      "a bot heard of its entry a close late, and the exit that it did not decide had no cause",
    history: read("a-fill-heard-of-after-its-close")
  },
  {
    fault: "a caller was refused a comparison, for another process had taken the account over",
    history: read("a-comparison-by-an-ousted-agent")
  }
]
