-- question: Which rank comes late to collectives by its own work, and what does each step wait for it, and since when?
-- example: dltap query DATASET late --set top=5
-- parameter: top integer 20 how many rows, the most blamed first
-- parameter: threshold real 0.02 share of a step from which a rank is a straggler
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps runs
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include fits}},
{{include arrivals}},
-- A rank's own time before a collective is what it did since the last one of
-- this communicator, without what it spent in collectives of any: waiting for
-- others is no fault of its own.
ordered AS (
  SELECT run, rank, device, communicator, lane, kind, nth, step, at_work,
    begin_at, begin_ns, end_ns,
    max(end_ns) OVER (PARTITION BY run, rank, device
      ORDER BY begin_ns, end_ns, communicator, kind, nth
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS left_ns
  FROM arrivals),
summed AS (
  SELECT run, rank, device, communicator, lane, kind, nth, step, at_work,
    begin_at, begin_ns, end_ns,
    sum(CAST(greatest(begin_ns - coalesce(left_ns, begin_ns), 0) AS DOUBLE))
      OVER (PARTITION BY run, rank, device
        ORDER BY begin_ns, end_ns, communicator, kind, nth
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS own_sum_ns
  FROM ordered),
owned AS (
  SELECT run, rank, device, communicator, kind, nth, step, at_work, begin_at,
    begin_ns,
    lag(end_ns) OVER (PARTITION BY run, rank, device, communicator
      ORDER BY begin_ns, end_ns, kind, nth) AS since_ns,
    own_sum_ns - lag(own_sum_ns) OVER (
      PARTITION BY run, rank, device, communicator
      ORDER BY begin_ns, end_ns, kind, nth) AS own_ns
  FROM summed WHERE lane = ''),
usual AS (
  SELECT run, communicator, kind, nth,
    coalesce(median(CASE WHEN at_work = 1 THEN own_ns END), median(own_ns))
      AS own_ns
  FROM owned GROUP BY run, communicator, kind, nth),
-- The work since the last collective is that of the step in which most of it
-- lies: the first of a step waits for what the step before it did.
begins AS (
  SELECT run, rank, device, step, min(begin_ns) AS begin_ns
  FROM numbered GROUP BY run, rank, device, step),
blames AS (
  SELECT o.run, o.rank, o.communicator,
    o.step AS met_step,
    CASE WHEN o.begin_ns - b.begin_ns < b.begin_ns - o.since_ns
      THEN o.step - 1 ELSE o.step END AS step,
    CASE WHEN o.begin_at = m.last_at THEN 1 ELSE 0 END AS is_last,
    least(o.begin_at - m.middle_at, o.own_ns - u.own_ns) AS later_ns,
    greatest(least(o.begin_at - m.middle_at, o.own_ns - u.own_ns), 0e0)
      AS blame_ns
  FROM owned o
  JOIN met m ON o.run = m.run AND o.communicator = m.communicator
    AND m.lane = '' AND o.kind = m.kind AND o.nth = m.nth
  JOIN usual u ON o.run = u.run AND o.communicator = u.communicator
    AND o.kind = u.kind AND o.nth = u.nth
  LEFT JOIN begins b ON o.run = b.run AND o.rank = b.rank
    AND o.device = b.device AND o.step = b.step
  WHERE o.own_ns IS NOT NULL),
-- A device that works while its collective waits has lost nothing: members lose
-- as much in a step as they have more of exposed communication, or of time
-- between the step before and it.
windows AS (
  SELECT run, rank, device, step, comm_exposed_ns, begin_ns,
    lag(end_ns) OVER (PARTITION BY run, rank, device ORDER BY step, begin_ns)
      AS before_ns
  FROM numbered),
exposed AS (
  SELECT run, rank, step, CAST(sum(comm_exposed_ns +
      greatest(begin_ns - coalesce(before_ns, begin_ns), 0)) AS DOUBLE) /
      count(DISTINCT device) AS ns
  FROM windows GROUP BY run, rank, step),
met_blames AS (
  SELECT run, rank, communicator, step, met_step, count(*) AS collectives,
    sum(is_last) AS times_last, sum(blame_ns) AS blame_ns,
    sum(later_ns) AS later_ns
  FROM blames GROUP BY run, rank, communicator, step, met_step),
seen AS (
  SELECT b.run, b.communicator, b.met_step, b.rank, max(e.ns) AS ns,
    sum(b.blame_ns) AS blame_ns
  FROM met_blames b JOIN exposed e ON b.run = e.run AND b.rank = e.rank
    AND b.met_step = e.step
  GROUP BY b.run, b.communicator, b.met_step, b.rank),
usually_seen AS (
  SELECT run, communicator, met_step, median(ns) AS ns
  FROM seen GROUP BY run, communicator, met_step),
lost AS (
  SELECT s.run, s.communicator, s.met_step, s.rank,
    least(greatest(u.ns - s.ns, 0e0) / NULLIF(s.blame_ns, 0e0), 1e0) AS share
  FROM seen s JOIN usually_seen u ON s.run = u.run
    AND s.communicator = u.communicator AND s.met_step = u.met_step),
lengths AS (
  SELECT run, step, CAST(median(end_ns - begin_ns) AS DOUBLE) AS length_ns
  FROM numbered
  GROUP BY run, step),
per_step AS (
  SELECT b.run, b.rank, b.communicator, b.step,
    sum(b.collectives) AS collectives, sum(b.times_last) AS times_last,
    sum(b.blame_ns * coalesce(l.share, 1e0)) AS blame_ns,
    sum(b.later_ns * coalesce(l.share, 1e0)) AS later_ns
  FROM met_blames b LEFT JOIN lost l ON b.run = l.run AND b.rank = l.rank
    AND b.communicator = l.communicator AND b.met_step = l.met_step
  GROUP BY b.run, b.rank, b.communicator, b.step),
per_rank AS (
  SELECT run, rank, CAST(sum(collectives) AS BIGINT) AS collectives,
    CAST(sum(times_last) AS BIGINT) AS times_last
  FROM per_step GROUP BY run, rank),
-- The same delay is waited for in several communicators, one after another:
-- the one that waits most tells the cost.
costs AS (
  SELECT run, rank, step, max(blame_ns) AS blame_ns,
    CASE WHEN max(later_ns) >= -min(later_ns) THEN max(later_ns)
      ELSE min(later_ns) END AS later_ns
  FROM per_step GROUP BY run, rank, step),
-- What a rank did before the first collective of a communicator is not known.
known AS (SELECT run, min(step) AS step FROM per_step GROUP BY run),
firsts AS (SELECT run, min(step) AS first_step FROM lengths GROUP BY run),
series AS (
  SELECT p.run, p.rank, l.step, l.length_ns, f.first_step,
    coalesce(c.blame_ns, 0e0) AS blame_ns, c.later_ns
  FROM per_rank p JOIN lengths l ON p.run = l.run
  JOIN known k ON l.run = k.run AND l.step >= k.step
  JOIN firsts f ON l.run = f.run
  LEFT JOIN costs c ON p.run = c.run AND p.rank = c.rank
    AND l.step = c.step),
changing AS (
  SELECT run, '' AS kind, rank, 0 AS device, step, later_ns AS excess
  FROM series),
{{include scatter}},
-- Since when: as `stragglers` finds it.
sums AS (
  SELECT run, rank, step, blame_ns,
    sum(blame_ns) OVER (PARTITION BY run, rank ORDER BY step
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far,
    sum(blame_ns) OVER (PARTITION BY run, rank) AS every,
    row_number() OVER (PARTITION BY run, rank ORDER BY step) AS place,
    count(*) OVER (PARTITION BY run, rank) AS n
  FROM series),
changes AS (
  SELECT run, rank, step AS last_before FROM (
    SELECT run, rank, step,
      row_number() OVER (PARTITION BY run, rank ORDER BY
        abs(so_far - every * place / n) DESC, step) AS best
    FROM sums WHERE place + 1 < n) candidates
  WHERE best = 1),
halves AS (
  SELECT s.run, s.rank, median(s.blame_ns) AS blame_ns,
    median(s.length_ns) AS length_ns, min(s.first_step) AS first_step,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN s.step <= c.last_before THEN s.blame_ns END) AS before_ns,
    median(CASE WHEN s.step <= c.last_before THEN s.length_ns END)
      AS length_before_ns,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN s.step > c.last_before THEN s.blame_ns END) AS after_ns,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN s.step > c.last_before THEN s.blame_ns END DESC)
      AS most_after_ns,
    median(CASE WHEN s.step > c.last_before THEN s.length_ns END)
      AS length_after_ns,
    min(CASE WHEN s.step > c.last_before THEN s.step END) AS change_step,
    count(CASE WHEN s.step <= c.last_before THEN 1 END) AS steps_before,
    count(CASE WHEN s.step > c.last_before THEN 1 END) AS steps_after,
    count(*) AS steps
  FROM series s LEFT JOIN changes c ON s.run = c.run AND s.rank = c.rank
  GROUP BY s.run, s.rank),
-- A part of the steps alone counts where it differs from the rest. Of two steps
-- both must: of an even number the lesser of the two in the middle has risen,
-- the greater has fallen.
parted AS (
  SELECT run, rank, first_step, change_step, before_ns, length_before_ns,
    CASE WHEN after_ns - before_ns >= {{threshold}} / 2e0 * length_after_ns
        THEN 'rose'
      WHEN steps_before > 1
        AND before_ns - most_after_ns >=
          {{threshold}} / 2e0 * length_before_ns
        THEN 'fell' ELSE 'steady' END AS course,
    blame_ns, length_ns, after_ns, length_after_ns, steps, steps_before,
    steps_after
  FROM halves),
now AS (
  SELECT run, rank, first_step, change_step, course, before_ns,
    length_before_ns,
    CASE WHEN course = 'steady' THEN blame_ns ELSE after_ns END AS blame_ns,
    CASE WHEN course = 'steady' THEN length_ns ELSE length_after_ns END
      AS length_ns,
    CASE WHEN course = 'steady' THEN steps ELSE steps_after END AS steps,
    steps_before
  FROM parted),
-- Of an even number of ranks the lesser of the two in the middle: else one of
-- two would never be three times the median.
medians AS (
  SELECT run, percentile_disc(0.5) WITHIN GROUP (ORDER BY blame_ns) AS blame_ns
  FROM now GROUP BY run),
judged AS (
  SELECT n.run, n.rank, n.first_step, n.change_step,
    n.course = 'rose' AND n.before_ns < {{threshold}} * n.length_before_ns
      AS began,
    CASE WHEN n.blame_ns - m.blame_ns >= {{threshold}} * n.length_ns
        AND n.blame_ns >= 3e0 * m.blame_ns
        AND n.blame_ns - m.blame_ns >= s.five_errors /
          NULLIF(sqrt(n.steps), 0e0)
        THEN 'straggler'
      WHEN n.course = 'fell'
        AND n.before_ns - m.blame_ns >= {{threshold}} * n.length_before_ns
        AND n.before_ns >= 3e0 * m.blame_ns
        AND n.before_ns - m.blame_ns >= s.five_errors /
          NULLIF(sqrt(n.steps_before), 0e0)
        THEN 'recovered'
      ELSE 'usual' END AS verdict,
    n.blame_ns, n.length_ns, n.before_ns, n.length_before_ns
  FROM now n JOIN medians m ON n.run = m.run
  JOIN scatter s ON n.run = s.run),
told AS (
  SELECT run, rank, verdict, began, first_step, change_step,
    CASE WHEN verdict = 'recovered' THEN before_ns ELSE blame_ns END
      AS blame_ns,
    CASE WHEN verdict = 'recovered' THEN length_before_ns ELSE length_ns END
      AS length_ns
  FROM judged),
hosts AS (SELECT run, rank, min(host) AS host FROM runs GROUP BY run, rank)
SELECT p.run, p.rank, h.host, p.collectives, p.times_last,
  round(t.blame_ns / 1e6, 4) AS blame_ms_per_step,
  round(t.length_ns / 1e6, 4) AS step_ms,
  round(t.blame_ns / NULLIF(t.length_ns, 0e0), 4) AS share_of_step,
  CASE WHEN t.verdict = 'straggler' AND t.began THEN t.change_step
    WHEN t.verdict IN ('straggler', 'recovered') THEN t.first_step END
    AS since_step,
  CASE WHEN t.verdict = 'recovered' THEN t.change_step END AS until_step,
  coalesce(t.verdict, 'no steps were found') AS verdict
FROM per_rank p
LEFT JOIN told t ON p.run = t.run AND p.rank = t.rank
LEFT JOIN hosts h ON p.run = h.run AND p.rank = h.rank
ORDER BY round(t.blame_ns) DESC NULLS LAST, p.run, p.rank
LIMIT {{top}}
