-- question: By how much do the ranks' clocks differ from the lowest rank's, and how well do collectives tell?
-- example: dltap query DATASET clocks
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives runs
WITH
{{include taken}},
{{include fits}},
-- From communicator to communicator: those of the lowest rank, those of their
-- ranks, those of theirs. What ends for all at once comes before sends.
present AS (
  SELECT run, rank, min(host) AS host, min(clock) AS clock
  FROM runs WHERE {{run}} = '' OR run = {{run}} GROUP BY run, rank),
first_ranks AS (SELECT run, min(rank) AS rank FROM fits GROUP BY run),
origins AS (SELECT run, min(first_ns) AS origin_ns FROM spans GROUP BY run),
edges AS (
  SELECT f.run, f.communicator, f.lane, f.rank, f.ends, f.drift,
    f.offset_ns - f.drift * (s.first_ns - o.origin_ns) AS offset_ns
  FROM fits f
  JOIN spans s ON f.run = s.run AND f.communicator = s.communicator
    AND f.lane = s.lane
  JOIN origins o ON f.run = o.run),
known_0 AS (
  SELECT run, rank, 0e0 AS offset_ns, 0e0 AS drift, 0 AS hops
  FROM first_ranks),
bases_1 AS (
  SELECT e.run, e.communicator, e.lane,
    median(k.offset_ns - e.offset_ns) AS offset_ns,
    median(k.drift - e.drift) AS drift
  FROM edges e JOIN known_0 k ON e.run = k.run AND e.rank = k.rank
  GROUP BY e.run, e.communicator, e.lane),
known_1 AS (
  SELECT run, rank, offset_ns, drift, 1 AS hops FROM (
    SELECT e.run, e.rank, e.offset_ns + b.offset_ns AS offset_ns,
      e.drift + b.drift AS drift,
      row_number() OVER (PARTITION BY e.run, e.rank ORDER BY
        CASE WHEN e.lane = '' THEN 0 ELSE 1 END, e.ends DESC, e.communicator,
        e.lane) AS place
    FROM edges e JOIN bases_1 b ON e.run = b.run
      AND e.communicator = b.communicator AND e.lane = b.lane) one
  WHERE place = 1),
bases_2 AS (
  SELECT e.run, e.communicator, e.lane,
    median(k.offset_ns - e.offset_ns) AS offset_ns,
    median(k.drift - e.drift) AS drift
  FROM edges e JOIN known_1 k ON e.run = k.run AND e.rank = k.rank
  GROUP BY e.run, e.communicator, e.lane),
known_2 AS (
  SELECT run, rank, offset_ns, drift, 2 AS hops FROM (
    SELECT e.run, e.rank, e.offset_ns + b.offset_ns AS offset_ns,
      e.drift + b.drift AS drift,
      row_number() OVER (PARTITION BY e.run, e.rank ORDER BY
        CASE WHEN e.lane = '' THEN 0 ELSE 1 END, e.ends DESC, e.communicator,
        e.lane) AS place
    FROM edges e JOIN bases_2 b ON e.run = b.run
      AND e.communicator = b.communicator AND e.lane = b.lane) one
  WHERE place = 1),
bases_3 AS (
  SELECT e.run, e.communicator, e.lane,
    median(k.offset_ns - e.offset_ns) AS offset_ns,
    median(k.drift - e.drift) AS drift
  FROM edges e JOIN known_2 k ON e.run = k.run AND e.rank = k.rank
  GROUP BY e.run, e.communicator, e.lane),
known_3 AS (
  SELECT run, rank, offset_ns, drift, 3 AS hops FROM (
    SELECT e.run, e.rank, e.offset_ns + b.offset_ns AS offset_ns,
      e.drift + b.drift AS drift,
      row_number() OVER (PARTITION BY e.run, e.rank ORDER BY
        CASE WHEN e.lane = '' THEN 0 ELSE 1 END, e.ends DESC, e.communicator,
        e.lane) AS place
    FROM edges e JOIN bases_3 b ON e.run = b.run
      AND e.communicator = b.communicator AND e.lane = b.lane) one
  WHERE place = 1),
known AS (
  SELECT run, rank, offset_ns, drift, hops,
    row_number() OVER (PARTITION BY run, rank ORDER BY hops) AS place
  FROM (SELECT * FROM known_0 UNION ALL SELECT * FROM known_1 UNION ALL
        SELECT * FROM known_2 UNION ALL SELECT * FROM known_3) every),
residuals AS (
  SELECT d.run, d.rank, count(*) AS ends,
    median(abs(d.difference_ns - f.offset_ns - f.drift * d.since_ns))
      AS residual_ns,
    CAST(max(d.since_ns) - min(d.since_ns) AS DOUBLE) AS span_ns
  FROM differences d JOIN fits f ON d.run = f.run
    AND d.communicator = f.communicator AND d.lane = f.lane AND d.rank = f.rank
  JOIN leaders l ON d.run = l.run AND d.communicator = l.communicator
    AND d.lane = l.lane AND d.rank <> l.leader
  GROUP BY d.run, d.rank)
SELECT coalesce(p.run, k.run) AS run, coalesce(p.rank, k.rank) AS rank, p.host,
  round(k.offset_ns / 1e3, 3) AS offset_us, round(k.drift * 1e6, 3) AS drift_ppm,
  round(r.residual_ns / 1e3, 3) AS residual_us, k.hops, r.ends,
  CASE
    WHEN k.rank IS NULL THEN
      'refused: no collectives in common with the lowest rank, nor by others'
    WHEN k.hops > 0 AND r.residual_ns > 1e6 THEN
      'refused: ends of the same collectives do not agree'
    -- No clock runs or is slewed so fast.
    WHEN p.clock = 'unix' AND abs(k.drift) > 1e-3
      AND abs(k.drift) * r.span_ns > 1e6 THEN
      'refused: a clock was set meanwhile, its own or one on the way to it'
    WHEN abs(k.offset_ns) > 6e10 AND p.clock = 'unix' THEN
      'refused: more than a minute apart, not of one job'
    ELSE 'aligned' END AS verdict
FROM present p
FULL JOIN (SELECT * FROM known WHERE place = 1) k
  ON p.run = k.run AND p.rank = k.rank
LEFT JOIN residuals r ON k.run = r.run AND k.rank = r.rank
ORDER BY run, rank
