-- roles: which ranks run the same. Needs: parts, with kernels.
-- Ranks of one pipeline stage launch as many kernels as each other.
sizes AS (
  SELECT run, rank, device, median(kernels) AS kernels
  FROM parts GROUP BY run, rank, device),
peers AS (
  SELECT run, kernels, count(*) AS n FROM sizes GROUP BY run, kernels),
roles AS (
  SELECT s.run, s.rank, s.device,
    CASE WHEN p.n >= 3 THEN s.kernels ELSE -1e0 END AS role
  FROM sizes s JOIN peers p ON s.run = p.run AND s.kernels = p.kernels)
