"""Rows 1, 3 and 4 with backtesting.py: one run after the other, candle by candle.

It buys whole units only: capital is so large that a unit is nothing.
"""

import columns
import numpy as np
import pandas as pd
from backtesting import Backtest, Strategy

EXIT_LEVEL = 70
CAPITAL = 1e16


class Crossing(Strategy):
    """In while the fast average is above the slow one."""

    fast = 10
    slow = 110

    def init(self):
        close = pd.Series(self.data.Close)
        self.fast_average = self.I(lambda: close.rolling(self.fast).mean())
        self.slow_average = self.I(lambda: close.rolling(self.slow).mean())

    def next(self):
        fast, slow = self.fast_average, self.slow_average
        if self.position:
            if fast[-1] < slow[-1] and fast[-2] >= slow[-2]:
                self.position.close()
        elif fast[-1] > slow[-1] and fast[-2] <= slow[-2]:
            self.buy()


class Reversal(Strategy):
    """Buys what has fallen far; stop and target in average true ranges."""

    level = 30
    stop = 2
    target = 3
    given = None

    def init(self):
        found = self.given or reversal_columns(self.data)
        self.rsi, self.lower, self.atr = (
            self.I(lambda name=name: found[name], name=name) for name in ("rsi", "lower", "atr")
        )
        self.closed_count = 0

    def next(self):
        if self.position:
            if self.rsi[-1] > EXIT_LEVEL:
                self.position.close()
            return
        # A candle in which stop or target ended a position does not open another.
        if len(self.closed_trades) > self.closed_count:
            self.closed_count = len(self.closed_trades)
            if self.closed_trades[-1].exit_bar == len(self.data) - 1:
                return
        close = self.data.Close[-1]
        if self.rsi[-1] < self.level and close < self.lower[-1]:
            atr = self.atr[-1]
            self.buy(sl=close - self.stop * atr, tp=close + self.target * atr)


def reversal_columns(data):
    """RSI 14, the lower Bollinger band of 20 and ATR 14."""
    high, low, close = (np.asarray(data[name]) for name in ("High", "Low", "Close"))
    window = pd.Series(close).rolling(20)
    return {
        "rsi": columns.rsi(close, 14),
        "lower": (window.mean() - 2 * window.std(ddof=0)).to_numpy(),
        "atr": columns.atr(high, low, close, 14),
    }


def run_one(strategy, frame, fee, **options):
    """One run at the close."""
    backtest = Backtest(frame, strategy, cash=CAPITAL, commission=fee, trade_on_close=True)
    return backtest.run(**options)


def crossing(frame, runs, fee):
    """One backtest after the other, averages included."""
    return [run_one(Crossing, frame, fee, **run) for run in runs]


def reversal(frame, runs, fee, given=None):
    """One backtest after the other; computes what it isn't given."""
    return [run_one(Reversal, frame, fee, given=given, **run) for run in runs]


def answer(found):
    """Figures of every run, and the trades of the first."""
    return {"figures": [one for stats in found for one in figures(stats)], "trades": trades(found[0])}


def figures(stats):
    """Total return, no Sharpe ratio, largest drawdown and entries.

    Its own Sharpe ratio is that of days, and one made from its equity would differ too: a fill at
    the close is booked with the next candle.
    """
    return [
        stats["_equity_curve"]["Equity"].iloc[-1] / CAPITAL - 1,
        None,
        -stats["Max. Drawdown [%]"] / 100,
        stats["# Trades"] + len(stats["_strategy"].trades),
    ]


def trades(stats):
    """Closed trades as columns, in the order in which they were closed."""
    closed = stats["_trades"].sort_values("ExitBar")
    return {
        "entryIndex": closed["EntryBar"],
        "exitIndex": closed["ExitBar"],
        "entryPrice": closed["EntryPrice"],
        "exitPrice": closed["ExitPrice"],
    }
