;(() => {
  "use strict"
  const data = JSON.parse(document.getElementById("data").textContent)
  const styles = getComputedStyle(document.documentElement)
  const colour = (name) => styles.getPropertyValue(`--${name}`).trim()
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer
  const floats = (text) => Array.from(new Float32Array(bytes(text)))
  const times = (text) => Array.from(new Uint32Array(bytes(text)))
  const element = (name, text, className) => {
    const made = document.createElement(name)
    if (text !== undefined) made.textContent = text
    if (className !== undefined) made.className = className
    return made
  }
  const percent = (value) => (value == null ? "–" : `${(value * 100).toFixed(2)} %`)
  const short = (value) => (value == null ? "–" : String(Number(value.toPrecision(6))))
  const axes = (format) => {
    const common = {
      stroke: colour("dim"),
      grid: { stroke: colour("line"), width: 1 },
      ticks: { stroke: colour("line") }
    }
    return [common, { ...common, size: 76, values: (_, values) => values.map(format) }]
  }
  const utc = (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC")
  const charts = []
  const draw = (place, title, height, options, columns) => {
    const host = document.getElementById(place)
    if (host === null) return
    if (title !== "") host.append(element("div", title, "title"))
    const made = new uPlot(
      {
        width: host.clientWidth,
        height,
        tzDate: utc,
        legend: { live: true },
        cursor: { sync: { key: "time" }, drag: { x: true, y: false } },
        ...options
      },
      columns,
      host
    )
    charts.push([host, made, height])
  }
  const line = (label, name, format, more = {}) => ({
    label,
    stroke: colour(name),
    width: 1.5,
    points: { show: false },
    value: (_, value) => format(value),
    ...more
  })

  const candlesOf = (market) => {
    const [open, high, low, close] = ["open", "high", "low", "close"].map((name) =>
      floats(market[name])
    )
    const columns = [times(market.time), close, open, high, low]
    const paint = (chart) => {
      const { ctx, bbox } = chart
      const [from, to] = chart.series[0].idxs ?? [0, columns[0].length - 1]
      const width = Math.max(
        1,
        Math.min(9, Math.floor((bbox.width / Math.max(1, to - from)) * 0.7))
      )
      ctx.save()
      ctx.beginPath()
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
      ctx.clip()
      for (let at = from; at <= to; at++) {
        const x = Math.round(chart.valToPos(columns[0][at], "x", true))
        const y = (value) => Math.round(chart.valToPos(value, "y", true))
        ctx.fillStyle = close[at] >= open[at] ? colour("gain") : colour("loss")
        ctx.fillRect(x, y(high[at]), 1, Math.max(1, y(low[at]) - y(high[at])))
        const top = Math.min(y(open[at]), y(close[at]))
        ctx.fillRect(
          x - Math.floor(width / 2),
          top,
          width,
          Math.max(1, Math.abs(y(open[at]) - y(close[at])))
        )
      }
      for (const [time, isBuy, price] of market.fills) {
        const x = chart.valToPos(time, "x", true)
        const y = chart.valToPos(price, "y", true)
        const way = isBuy ? 1 : -1
        ctx.beginPath()
        ctx.moveTo(x, y)
        ctx.lineTo(x - 5, y + way * 10)
        ctx.lineTo(x + 5, y + way * 10)
        ctx.closePath()
        ctx.fillStyle = isBuy ? colour("own") : colour("other")
        ctx.fill()
        ctx.strokeStyle = colour("back")
        ctx.stroke()
      }
      ctx.restore()
    }
    return { columns, paint }
  }

  const makeTable = (place, names, rows, formats, file) => {
    const host = document.getElementById(place)
    if (host === null) return
    const tools = element("div", undefined, "tools")
    const link = element("a", "Download as CSV")
    link.href = "#"
    link.addEventListener("click", () => {
      const cell = (value) => {
        // A spreadsheet runs a text that begins as formulas do, unless an apostrophe precedes it.
        const isFormula = typeof value === "string" && /^[=+\-@\t\r]/.test(value)
        const plain = isFormula ? `'${value}` : String(value ?? "")
        return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
      }
      const text = [names, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }))
      link.download = file
    })
    tools.append(link, element("span", `${rows.length} rows; a click on a heading sorts.`))
    const frame = element("div", undefined, "tall")
    const table = element("table")
    const head = element("tr")
    const body = element("tbody")
    let sorted = -1
    let isDown = true
    const fill = (ordered) => {
      body.replaceChildren(
        ...ordered.slice(0, 1000).map((row) => {
          const made = element("tr")
          row.forEach((value, at) => {
            const format = formats[at]
            const cell = element("td", format === undefined ? String(value ?? "–") : format(value))
            if (format === percent && value != null && value !== 0) {
              cell.className = value > 0 ? "gain1" : "loss1"
              cell.textContent = `${value > 0 ? "▲" : "▼"} ${cell.textContent}`
            }
            made.append(cell)
          })
          return made
        })
      )
    }
    names.forEach((name, at) => {
      const cell = element("th")
      cell.scope = "col"
      const button = element("button", name)
      button.addEventListener("click", () => {
        isDown = sorted === at ? !isDown : true
        sorted = at
        for (const other of head.children) other.removeAttribute("aria-sort")
        cell.setAttribute("aria-sort", isDown ? "descending" : "ascending")
        const order = (one, other) => {
          if (one[at] == null || other[at] == null) return (one[at] == null) - (other[at] == null)
          return (one[at] < other[at] ? -1 : one[at] > other[at] ? 1 : 0) * (isDown ? -1 : 1)
        }
        fill(rows.toSorted(order))
      })
      cell.append(button)
      head.append(cell)
    })
    const top = element("thead")
    top.append(head)
    table.append(top, body)
    frame.append(table)
    frame.tabIndex = 0
    host.append(tools, frame)
    fill(rows)
  }

  /** The return of each position over how far prices went, a point for each. */
  const drawExcursions = (place, label, column) => {
    const points = data.positions
      .filter((row) => row[column] !== null)
      .sort((one, other) => one[column] - other[column])
    if (points.length === 0) return
    const pick = (isPicked) => points.map((row) => (isPicked(row[8]) ? row[8] : null))
    const dots = (name, tone) =>
      line(name, tone, percent, {
        paths: () => null,
        points: { show: true, size: 6, fill: colour(tone), stroke: colour(tone) }
      })
    const [common, left] = axes(percent)
    draw(
      place,
      `Return over: ${label.toLowerCase()}`,
      220,
      {
        scales: { x: { time: false } },
        cursor: { drag: { x: false, y: false } },
        axes: [{ ...common, space: 80, values: (_, values) => values.map(percent) }, left],
        series: [
          { label, value: (_, value) => percent(value) },
          dots("Won", "gain"),
          dots("Lost", "loss")
        ]
      },
      [
        points.map((row) => row[column]),
        pick((result) => result > 0),
        pick((result) => result <= 0)
      ]
    )
  }

  const drawBacktest = () => {
    const { equity, results } = data
    const time = times(equity.time)
    const money = (value) => (value == null ? "–" : `${short(value)} ${data.currency}`)
    const curves = [
      floats(equity.own),
      ...(equity.holding === null ? [] : [floats(equity.holding)])
    ]
    draw(
      "equity",
      "",
      280,
      {
        axes: axes(short),
        series: [
          {},
          line("Equity", "own", money),
          ...(equity.holding === null ? [] : [line("Holding", "other", money, { dash: [5, 4] })])
        ]
      },
      [time, ...curves]
    )
    draw(
      "fall",
      "",
      160,
      {
        axes: axes(percent),
        series: [{}, line("Below its high", "loss", percent, { fill: `${colour("loss")}22` })]
      },
      [time, floats(equity.fall)]
    )
    draw(
      "exposure",
      "",
      140,
      {
        axes: axes(percent),
        series: [
          {},
          line("Held at entry prices, of the equity", "own", percent, {
            fill: `${colour("own")}22`,
            paths: uPlot.paths.stepped({ align: 1 })
          })
        ]
      },
      [time, floats(equity.exposure)]
    )
    data.markets.forEach((market, at) => {
      const { columns, paint } = candlesOf(market)
      const hidden = (label) => line(label, "dim", short, { stroke: "transparent" })
      draw(
        `market-${at}`,
        `${market.symbol}   ▲ bought   ▼ sold`,
        380,
        {
          axes: axes(short),
          series: [{}, hidden("Close"), hidden("Open"), hidden("High"), hidden("Low")],
          hooks: { draw: [paint] }
        },
        columns
      )
    })
    if (data.sharpe !== null)
      draw(
        "sharpe",
        "",
        160,
        { axes: axes(short), series: [{}, line("Sharpe ratio", "own", short)] },
        [time, data.sharpe]
      )
    drawExcursions("against", "Worst while held", 9)
    drawExcursions("favour", "Best while held", 10)
    // One more step, so that the last bar has its width.
    const counts = [...results.counts, 0]
    const steps = counts.map((_, at) => results.from + at * results.step)
    draw(
      "results",
      "",
      200,
      {
        scales: { x: { time: false } },
        cursor: { drag: { x: false, y: false } },
        axes: [{ ...axes(percent)[0], values: (_, values) => values.map(percent) }, axes(short)[1]],
        series: [
          { label: "Return from", value: (_, value) => percent(value) },
          line("Positions", "own", short, {
            fill: `${colour("own")}55`,
            paths: uPlot.paths.bars({ size: [0.9], align: 1 })
          })
        ]
      },
      [steps, counts]
    )
    const areDays = data.positions.every((row) =>
      [row[2], row[4]].every((at) => at.endsWith("T00:00:00Z"))
    )
    const timeText = (at) => at.slice(0, areDays ? 10 : 16).replace("T", " ")
    makeTable(
      "positions",
      [
        "Market",
        "Side",
        "Entry",
        "Entry price",
        "Exit",
        "Exit price",
        "Quantity",
        "Result",
        "Return",
        "Worst held",
        "Best held",
        "Fees",
        "Left by"
      ],
      data.positions,
      [
        undefined,
        undefined,
        timeText,
        short,
        timeText,
        short,
        short,
        short,
        percent,
        percent,
        percent,
        short,
        (reason) => reason.replaceAll("_", " ")
      ],
      "positions.csv"
    )
  }

  const cellsMax = 32

  const drawHeat = (canvas, x, y) => {
    const column = (name) => 4 + data.names.indexOf(name)
    const valuesOf = (name) => {
      const found = [...new Set(data.trials.map((trial) => trial[column(name)]))].sort(
        (a, b) => a - b
      )
      if (found.length <= cellsMax)
        return {
          count: found.length,
          at: (value) => found.indexOf(value),
          label: (cell) => short(found[cell])
        }
      const [low, high] = [found[0], found.at(-1)]
      const place = (value) => Math.floor(((value - low) / (high - low)) * cellsMax)
      return {
        count: cellsMax,
        at: (value) => Math.min(cellsMax - 1, place(value)),
        label: (cell) =>
          String(Number((low + ((cell + 0.5) / cellsMax) * (high - low)).toPrecision(3)))
      }
    }
    const [across, down] = [
      valuesOf(x),
      x === y ? { count: 1, at: () => 0, label: () => "" } : valuesOf(y)
    ]
    const cells = new Map()
    for (const trial of data.trials) {
      if (trial[1] === null || trial[3] === 0) continue
      const key =
        across.at(trial[column(x)]) + across.count * (x === y ? 0 : down.at(trial[column(y)]))
      cells.set(key, [...(cells.get(key) ?? []), trial[1]])
    }
    const means = new Map(
      [...cells].map(([key, values]) => [
        key,
        values.reduce((sum, value) => sum + value, 0) / values.length
      ])
    )
    const [low, high] = [Math.min(...means.values()), Math.max(...means.values())]
    const [left, foot] = [80, 44]
    const [width, height] = [
      Math.max(28, Math.min(60, 800 / across.count)),
      Math.max(20, Math.min(36, 360 / down.count))
    ]
    const ratio = devicePixelRatio || 1
    canvas.width = (left + across.count * width + 8) * ratio
    canvas.height = (down.count * height + foot) * ratio
    canvas.style.width = `${canvas.width / ratio}px`
    const ctx = canvas.getContext("2d")
    ctx.scale(ratio, ratio)
    ctx.font = "12px system-ui, sans-serif"
    ctx.textAlign = "center"
    ctx.textBaseline = "middle"
    for (let row = 0; row < down.count; row++) {
      for (let at = 0; at < across.count; at++) {
        const mean = means.get(at + across.count * row)
        const share = mean === undefined ? 0 : high === low ? 1 : (mean - low) / (high - low)
        const top = (down.count - 1 - row) * height
        ctx.globalAlpha = mean === undefined ? 1 : 0.08 + 0.8 * share
        ctx.fillStyle = mean === undefined ? colour("soft") : colour("own")
        ctx.fillRect(left + at * width + 1, top + 1, width - 2, height - 2)
        ctx.globalAlpha = 1
        if (mean === undefined) continue
        ctx.fillStyle = share > 0.55 ? colour("back") : colour("ink")
        if (width >= 34) ctx.fillText(mean.toFixed(2), left + (at + 0.5) * width, top + height / 2)
      }
    }
    ctx.fillStyle = colour("dim")
    const every = Math.ceil(across.count / 12)
    for (let at = 0; at < across.count; at += every)
      ctx.fillText(across.label(at), left + (at + 0.5) * width, down.count * height + 12)
    ctx.fillText(x, left + (across.count * width) / 2, down.count * height + 32)
    ctx.textAlign = "right"
    for (let row = 0; row < down.count; row++)
      ctx.fillText(down.label(row), left - 8, (down.count - 0.5 - row) * height)
    if (data.best === null) return
    const own = [across.at(data.best[x]), x === y ? 0 : down.at(data.best[y])]
    ctx.strokeStyle = colour("loss")
    ctx.lineWidth = 2
    ctx.strokeRect(
      left + own[0] * width + 1,
      (down.count - 1 - own[1]) * height + 1,
      width - 2,
      height - 2
    )
  }

  const drawSearch = () => {
    const host = document.getElementById("heat")
    if (host !== null) {
      const canvas = element("canvas", undefined, "heat")
      host.append(canvas)
      const tools = document.getElementById("axes")
      tools.className = "tools"
      const pick = (label, chosen) => {
        const wrapped = element("label", `${label} `)
        const select = element("select")
        for (const name of data.names) select.append(new Option(name, name, false, name === chosen))
        wrapped.append(select)
        tools.append(wrapped)
        return select
      }
      const [first, second = first] = data.names
      const [x, y] = [pick("across", first), pick("up", second)]
      const redraw = () => drawHeat(canvas, x.value, y.value)
      x.addEventListener("change", redraw)
      y.addEventListener("change", redraw)
      tools.append(
        element("span", `Mean ${data.objective} of eligible trials, in sample; the best is framed.`)
      )
      redraw()
    }
    makeTable(
      "trials",
      ["Trial", data.objective, "Positions", "Eligible", ...data.names],
      data.trials,
      [
        undefined,
        short,
        undefined,
        (value) => (value === 1 ? "yes" : "no"),
        ...data.names.map(() => short)
      ],
      "trials.csv"
    )
  }

  if (data.kind === "backtest") drawBacktest()
  else drawSearch()
  let timer
  addEventListener("resize", () => {
    clearTimeout(timer)
    timer = setTimeout(
      () =>
        charts.forEach(([host, made, height]) => made.setSize({ width: host.clientWidth, height })),
      100
    )
  })
  document.documentElement.dataset.drawn = "yes"
})()
