import asyncio
from contextlib import asynccontextmanager


async def ticker(limit):
    for number in range(limit):
        yield number
        await asyncio.sleep(0)


@asynccontextmanager
async def logged(log, name):
    log.append(f"enter {name}")
    try:
        yield name
    finally:
        log.append(f"exit {name}")


async def collect(limit):
    log = []
    async with logged(log, "outer") as name:
        async for number in ticker(limit):
            if number == 3:
                break
            log.append(number)
        else:
            log.append("whole")
        squares = [number * number async for number in ticker(limit)]
    return name, log, squares


def collect_now(limit):
    return asyncio.run(collect(limit))

# CALLS
# collect_now(2)
# collect_now(6)
# collect_now(0)
