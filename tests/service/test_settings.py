from pathlib import Path

import pytest

from service.settings import Rate, Settings, SettingsError, Token


def test_defaults_are_in_the_users_folders() -> None:
    settings = Settings.from_environment({"HOME": "/home/u"})
    assert settings.jobs_dir == Path("/home/u/.local/share/tethermap/jobs")
    assert settings.cache_dir == Path("/home/u/.cache/tethermap")
    assert settings.index_dir == Path("/home/u/.cache/tethermap/index")
    assert (settings.host, settings.port, settings.api_tokens) == ("127.0.0.1", 8000, ())


def test_xdg_folders_are_respected_and_relative_ones_are_not() -> None:
    settings = Settings.from_environment({"HOME": "/h", "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "here"})
    assert settings.jobs_dir == Path("/data/tethermap/jobs")
    assert settings.cache_dir == Path("/h/.cache/tethermap")


def test_two_jobs_folders_have_two_indexes() -> None:
    one, other = (Settings.from_environment({"TETHERMAP_JOBS_DIR": f"/jobs/{name}"}) for name in "ab")
    assert one.index_dir != other.index_dir


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "80000"), ("PORT", "http"), ("JOBS_DIR", "relative/path"), ("SOURCE", "pdb"), ("SOURCE", "mirror"),
        ("MIRROR", "/no/such/folder"), ("PROFILE", "/no/such/profile"), ("CORES_PER_JOB", "0"),
        ("MAX_RUNNING_JOBS", "-1"), ("JOB_TIMEOUT_S", "soon"), ("KEEP_DAYS", "-3"), ("MAX_JOBS_BYTES", "20X"),
        ("METRICS", "maybe"), ("CORS_ORIGINS", "example.org"), ("BASE_URL_PRIMARY", "ftp://x"),
        ("MAX_BODY_BYTES", "1"), ("MAX_BATCH", "many"), ("RATE_LIMIT", "60"), ("RATE_LIMIT", "60/day"),
        ("ENVIRONMENT", "<b>"), ("HOST", "a b"), ("API_TOKENS", "pässword"), ("API_TOKENS", "a b:c d:"),
        ("ROOT_PATH", "tethermap"), ("ALLOWED_HOSTS", "lab.example/x"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"TETHERMAP_{'MIRROR' if value == 'mirror' else name}"):
        Settings.from_environment({f"TETHERMAP_{name}": value})


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"API_TOKEN": "secret"}, "API_TOKENS"), ({"MAX_JOB_BYTES": "1G"}, "MAX_JOBS_BYTES"),
        ({"HOST": "0.0.0.0"}, "OPEN"), ({"HOST": "::"}, "OPEN"), ({"HOST": "192.168.1.5", "OPEN": "false"}, "OPEN"),
        ({"PRIVATE": "true"}, "API_TOKENS"),
    ],
)  # fmt: skip
def test_the_start_is_refused_with_the_remedy(variables: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=f"TETHERMAP_{says}"):
        Settings.from_environment({f"TETHERMAP_{name}": value for name, value in variables.items()})


def test_a_profile_whose_executor_is_not_installed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("executor: far-away\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"TETHERMAP_PROFILE.*far-away, which is not installed: install its plugin"):
        Settings.from_environment({"TETHERMAP_PROFILE": str(tmp_path)})


def test_a_token_is_never_shown() -> None:
    with pytest.raises(SettingsError) as error:
        Settings.from_environment({"TETHERMAP_API_TOKENS": "sécret"})
    assert "cret" not in str(error.value)


def test_values_are_read(tmp_path: Path) -> None:
    variables = {
        "MIRROR": str(tmp_path), "SOURCE": "mirror", "MAX_JOBS_BYTES": "20G", "API_TOKENS": "one, ann:two",
        "RATE_LIMIT": "60/minute", "JOB_TIMEOUT_S": "0", "METRICS": "on", "PROFILE": "config/profiles/local",
        "CORS_ORIGINS": "https://a.example http://localhost:3000", "MAX_BODY_BYTES": "2M",
    }  # fmt: skip
    settings = Settings.from_environment({f"TETHERMAP_{name}": value for name, value in variables.items()})
    assert settings.max_jobs_bytes == 20 << 30
    assert settings.api_tokens == (Token("operator", "one"), Token("ann", "two"))
    assert settings.rate_limit == Rate(60, 60.0)
    assert settings.job_timeout_s is None
    assert settings.profile is not None
    assert settings.profile.is_absolute()
    assert settings.max_body_bytes == 2 << 20
