/** A report of any demonstration, as a start writes it and speaks of it. */
import {
  type AttributesReport,
  attributesHeadline,
  attributesSummary,
  renderAttributesPage,
} from './attributes-report.js';
import { type EditsReport, editsHeadline, editsSummary, renderEditsPage } from './edits-report.js';
import { type LibraryReport, libraryHeadline, librarySummary, renderLibraryPage } from './library-report.js';
import type { Report } from './report.types.js';
import { renderReportPage } from './report-page.js';
import { renderTeamPage, type TeamReport, teamHeadline, teamSummary } from './team-report.js';
import { headline, summary } from './verdict.js';

export interface FinishedReport {
  /** What `report.json` holds. */
  readonly figures: Report | AttributesReport | EditsReport | LibraryReport | TeamReport;
  readonly page: string;
  readonly headline: string;
  readonly summary: string;
  readonly converged: boolean;
}

export function reportOfExperiences(figures: Report): FinishedReport {
  const { converged } = figures;
  return {
    figures,
    page: renderReportPage(figures),
    headline: headline(figures),
    summary: summary(figures),
    converged,
  };
}

export function reportOfEdits(figures: EditsReport): FinishedReport {
  const { converged } = figures;
  const [page, first] = [renderEditsPage(figures), editsHeadline(figures)];
  return { figures, page, headline: first, summary: editsSummary(figures), converged };
}

export function reportOfTeam(figures: TeamReport): FinishedReport {
  const { converged } = figures;
  const [page, first] = [renderTeamPage(figures), teamHeadline(figures)];
  return { figures, page, headline: first, summary: teamSummary(figures), converged };
}

export function reportOfLibrary(figures: LibraryReport): FinishedReport {
  const { converged } = figures;
  const [page, first] = [renderLibraryPage(figures), libraryHeadline(figures)];
  return { figures, page, headline: first, summary: librarySummary(figures), converged };
}

export function reportOfAttributes(figures: AttributesReport): FinishedReport {
  const { converged } = figures;
  const [page, first] = [renderAttributesPage(figures), attributesHeadline(figures)];
  return { figures, page, headline: first, summary: attributesSummary(figures), converged };
}
