/**
 * Histories that once failed: every run of the tests runs them again.
 */
import { drawHistory, type History } from "./history.ts"

/** The histories, with the fault that each of them showed. */
export const cases: ReadonlyArray<{ readonly fault: string; readonly history: History }> = [
  {
    fault: "an account's agent began within a transaction of its bot",
    history: drawHistory("live 4")
  },
  {
    fault: "a bot waited for its agent, which waited for the bot",
    history: drawHistory("live 11")
  },
  {
    fault: "a bot waited without end for the terms of its markets",
    history: drawHistory("live 50")
  },
  { fault: "a stop filled in part before it was replaced", history: drawHistory("live 26") },
  {
    fault: "an agent that could not begin left its bot without a fibre",
    history: drawHistory("live 20")
  },
  { fault: "a stop filled in part was taken for filled", history: drawHistory("live 97") },
  {
    fault: "the rest of an entry came after its stop had sold the first part",
    history: drawHistory("live 94")
  },
  { fault: "a lot opened again had its stop already", history: drawHistory("live 305") },
  {
    fault: "a watched target was taken for an order that got lost",
    history: drawHistory("live 523")
  },
  {
    fault: "a stopped bot did not hear of the fills of an entry that it had taken back",
    history: drawHistory("live 356")
  },
  {
    fault: "a stop that closes was over before an entry of its bot had filled",
    history: drawHistory("live 694")
  },
  {
    fault: "a target that was taken back was looked for at the exchange",
    history: drawHistory("live 714")
  },
  {
    fault: "nobody attended to the exchange of a stopped bot after a restart",
    history: drawHistory("live 1084")
  },
  {
    fault: "an account came back to a process whose agent had ended",
    history: drawHistory("live 1335")
  },
  {
    fault: "the last part of an order was too little for a fill that ends it",
    history: drawHistory("live 1126")
  },
  {
    fault: "holdings that were ahead of the trades shut the gate of a bot",
    history: drawHistory("live 542")
  },
  {
    fault: "a stop that had sold a part was opened again in two moves at once",
    history: drawHistory("live 634")
  },
  { fault: "a position that was leaving counted as unprotected", history: drawHistory("live 101") },
  {
    fault: "an account was compared while a trade was yet to be told",
    history: drawHistory("live 609")
  }
]
