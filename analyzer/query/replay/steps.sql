-- question: Which steps are replayed, and which ranks run the same?
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include pipeline}},
parts AS (
  SELECT run, rank, device, step, begin_ns, end_ns,
    CAST(kernels AS DOUBLE) AS kernels
  FROM numbered),
held AS (
  SELECT run, rank, sum(kernels) AS kernels FROM steps
  WHERE {{run}} = '' OR run = {{run}} GROUP BY run, rank),
{{include roles}}
SELECT p.rank, p.device, CAST(r.role AS BIGINT) AS role, p.step, p.begin_ns,
  p.end_ns, CAST(h.kernels AS BIGINT) AS kernels_of_rank
FROM parts p JOIN roles r ON p.run = r.run AND p.rank = r.rank
  AND p.device = r.device
JOIN held h ON p.run = h.run AND p.rank = h.rank
ORDER BY p.rank, p.device, p.step
