"""What bench/python.py compares with: other ways to log Z and marginals, single root."""

import warnings


def by_autograd(torch, scores):
    """[Koo07]: the words' Laplacian with its first row replaced by the root's weights."""
    scores = scores.detach().requires_grad_()
    weights = scores.exp()
    words = weights[:, 1:, 1:]
    words = words * (1.0 - torch.eye(words.shape[-1], dtype=words.dtype, device=words.device))
    matrix = torch.cat([weights[:, 0, 1:].unsqueeze(1), (torch.diag_embed(words.sum(1)) - words)[:, 1:]], 1)
    log_z = torch.linalg.slogdet(matrix).logabsdet
    return log_z, torch.autograd.grad(log_z.sum(), scores)[0]


def torch_struct_crf():
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torch_struct import NonProjectiveDependencyCRF
        return NonProjectiveDependencyCRF
    except ImportError:
        print("  torch-struct is not installed: comparisons with it are left out")
        return None


def potentials_of(torch, scores):
    """The words' scores, with those of the root on the diagonal, which is how torch-struct takes them."""
    potentials = scores[:, 1:, 1:].clone()
    for d in range(potentials.shape[1]):
        potentials[:, d, d] = scores[:, 0, d + 1]
    return potentials


def jax_marginals():
    """log Z and marginals by JAX's automatic differentiation of the Matrix-Tree theorem, or None without JAX."""
    try:
        import jax
    except ImportError:
        print("  JAX is not installed: comparisons with it are left out")
        return None
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy

    def log_partition(scores):
        w = jnp.exp(scores)[1:, 1:] * (1.0 - jnp.eye(scores.shape[0] - 1))
        laplacian = (jnp.diag(w.sum(0)) - w).at[0].set(jnp.exp(scores)[0, 1:])
        return jnp.linalg.slogdet(laplacian)[1]

    solve = jax.jit(jax.vmap(jax.value_and_grad(log_partition)))

    def prepare(scores):
        theirs = jax.dlpack.from_dlpack(scores)
        return lambda: jax.block_until_ready(solve(theirs))

    return prepare
