-- roles: which ranks run the same. Needs: parts, with kernels, and pipeline.
-- Ranks of one pipeline stage launch as many kernels as each other, and so do
-- alike devices of one process. Those whose number nobody has are alike where
-- it is nearly the same; devices of several in a process, by their place. Who
-- launches some more or fewer than ranks that are alike, is compared with them:
-- `cause` tells what the kernels take that others have not. Not so in a row of
-- stages that are there once, which differ: those are alone.
sizes AS (
  SELECT p.run, p.rank, p.device, median(p.kernels) AS kernels,
    coalesce(max(CASE WHEN l.replicas > 1 THEN l.stage END), 0) AS stage,
    coalesce(max(l.replicas), 0) AS replicas,
    row_number() OVER (PARTITION BY p.run, p.rank ORDER BY p.device) AS place
  FROM parts p LEFT JOIN pipeline l ON p.run = l.run AND p.rank = l.rank
  GROUP BY p.run, p.rank, p.device),
peers AS (
  SELECT run, stage, kernels, count(*) AS n
  FROM sizes GROUP BY run, stage, kernels),
nearest AS (
  SELECT run, rank, device, kernels FROM (
    SELECT s.run, s.rank, s.device, o.kernels, row_number() OVER (
      PARTITION BY s.run, s.rank, s.device
      ORDER BY abs(o.kernels - s.kernels), o.kernels) AS best
    FROM sizes s JOIN peers p ON s.run = p.run AND s.stage = p.stage
      AND s.kernels = p.kernels
    JOIN peers o ON s.run = o.run AND s.stage = o.stage
    WHERE p.n = 1 AND o.n > 1 AND s.replicas <> 1
      AND abs(o.kernels - s.kernels) <= 0.25e0 * o.kernels) ordered
  WHERE best = 1),
singles AS (
  SELECT s.run, s.stage, s.place, median(s.kernels) AS kernels
  FROM sizes s JOIN peers p ON s.run = p.run AND s.stage = p.stage
    AND s.kernels = p.kernels
  WHERE p.n = 1 AND s.replicas <> 1 GROUP BY s.run, s.stage, s.place),
roles AS (
  SELECT s.run, s.rank, s.device, CAST(dense_rank() OVER (PARTITION BY s.run
      ORDER BY s.stage, CASE WHEN p.n > 1 THEN s.kernels
        WHEN n.kernels IS NOT NULL THEN n.kernels
        WHEN abs(s.kernels - o.kernels) <= 0.1e0 * o.kernels
          THEN CAST(-s.place AS DOUBLE)
        ELSE -1e3 * (s.rank + 1) - s.place END) AS DOUBLE) AS role
  FROM sizes s JOIN peers p ON s.run = p.run AND s.stage = p.stage
    AND s.kernels = p.kernels
  LEFT JOIN nearest n ON s.run = n.run AND s.rank = n.rank
    AND s.device = n.device
  LEFT JOIN singles o ON s.run = o.run AND s.stage = o.stage
    AND s.place = o.place)
